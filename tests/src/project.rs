//! A git repository of a test's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::Home;

/// A project that vanishes with its home.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its root, without symbolic links.
    pub root: PathBuf,
}

impl Project {
    /// Makes a repository with one commit beside the home.
    ///
    /// # Errors
    /// When git fails.
    pub fn new(home: &Home, name: &str) -> Result<Self> {
        let project = Self::without_git(home, name)?;
        project.become_repository()?;
        Ok(project)
    }

    /// Makes a directory beside the home.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn without_git(home: &Home, name: &str) -> Result<Self> {
        let root = home.scratch().join(name);
        fs::create_dir_all(&root)?;
        Ok(Self {
            root: root.canonicalize()?,
        })
    }

    /// Makes the directory a repository with one commit.
    ///
    /// # Errors
    /// When git fails.
    pub fn become_repository(&self) -> Result<()> {
        self.git(&["init", "-q"])?;
        // The message tells repositories apart, whose identity is their first commit.
        let name = self.root.file_name().unwrap_or_default().to_string_lossy();
        self.git(&["commit", "-q", "--allow-empty", "-m", &name])
    }

    /// Writes a file and returns its absolute path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> Result<PathBuf> {
        let absolute = self.root.join(path);
        fs::create_dir_all(absolute.parent().unwrap_or(&self.root))?;
        fs::write(&absolute, text)?;
        Ok(absolute)
    }

    /// Commits every file as it is.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit(&self) -> Result<()> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", "all"])
    }

    /// Says where the repository came from, which is what identifies it.
    ///
    /// # Errors
    /// When git fails.
    pub fn cloned_from(&self, remote: &str) -> Result<()> {
        self.git(&["remote", "add", "origin", remote])
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
        ];
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.root)
            .args(identity)
            .args(arguments)
            .stdin(Stdio::null());
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output()?;
        ensure!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }
}

impl AsRef<Path> for Project {
    fn as_ref(&self) -> &Path {
        &self.root
    }
}
