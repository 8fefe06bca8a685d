//! Compiles the contracts with protox, so that no protoc has to be installed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(
        ["helix/v1/helix.proto", "helix/provider/v1/provider.proto"],
        ["proto"],
    )?;
    // A server answers `unimplemented` to what it does not know, as tests' stand-ins for the daemon
    // need.
    tonic_prost_build::configure()
        .generate_default_stubs(true)
        .compile_fds(files)?;
    Ok(())
}
