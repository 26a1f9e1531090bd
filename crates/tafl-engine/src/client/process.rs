//! A child process that is spoken to line by line, and that ends with its owner.

use super::command::EngineError;
use crate::lines::{Line, read_line};
use std::io::{BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a dying process is given to write its last words.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Lines of an engine that wait to be read; where there are more, it must wait.
const QUEUE: usize = 256;

/// Bytes that an engine may write before it answers a question.
const MOST_BYTES: usize = 64 << 20;

/// The variable by which all that an engine starts is known, whatever group or session it is in.
const MARK: &str = "TAFL_ENGINE";

/// A running program. Threads read and write, so that no question blocks its asker.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Lines to be written.
    questions: Sender<String>,
    /// Lines that were read.
    answers: Receiver<String>,
    /// The last line of standard error.
    complaint: Arc<Mutex<String>>,
    /// The last line written.
    asked: String,
    /// The value of [`MARK`] in its environment.
    mark: String,
}

impl Process {
    /// Starts a program in a process group of its own, which also dies with this process.
    pub(super) fn start(words: &[String]) -> Result<Self, EngineError> {
        let refused = |reason| EngineError::Start {
            program: words[0].clone(),
            reason,
        };
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        command.env(MARK, &mark);
        group::own_group(&mut command);
        let mut child = command.spawn().map_err(refused)?;
        let (questions, lines) = channel::<String>();
        let (sender, answers) = sync_channel(QUEUE);
        let complaint = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || {
                group::survive_broken_pipes();
                for line in lines {
                    if stdin.write_all(line.as_bytes()).is_err() || stdin.flush().is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_all(stdout, |line| sender.send(line).is_ok()));
        }
        if let Some(stderr) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            let keep = move |line: String| {
                if !line.trim().is_empty() {
                    *complaint.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
                true
            };
            thread::spawn(move || read_all(stderr, keep));
        }
        Ok(Self {
            child,
            questions,
            answers,
            complaint,
            asked: String::new(),
            mark,
        })
    }

    /// Sends a line.
    pub(super) fn say(&mut self, line: &str) {
        line.clone_into(&mut self.asked);
        // Where the process has ended, the next answer says so.
        let _ = self.questions.send(format!("{line}\n"));
    }

    /// Returns the first line that `take` makes something of, waiting for it as long as `most`.
    pub(super) fn answer<T>(
        &mut self,
        most: Duration,
        mut take: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, EngineError> {
        let (begun, mut bytes) = (Instant::now(), 0);
        loop {
            let left = most.saturating_sub(begun.elapsed());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(self.timed_out(most)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            if let Some(answer) = take(line.trim()) {
                return Ok(answer);
            }
            bytes += line.len() + 1;
            if bytes > MOST_BYTES {
                let asked = shortened(&self.asked);
                return Err(EngineError::Flooded { asked, bytes });
            }
            // One that never pauses leaves no time to wait in.
            if left.is_zero() {
                return Err(self.timed_out(most));
            }
        }
    }

    fn timed_out(&self, after: Duration) -> EngineError {
        let asked = shortened(&self.asked);
        EngineError::TimedOut { asked, after }
    }

    /// Forgets lines that came without being asked for.
    pub(super) fn drop_stale_answers(&self) {
        // As many as may be waiting; one that goes on meanwhile is not waited for.
        for _ in 0..QUEUE {
            if self.answers.try_recv().is_err() {
                return;
            }
        }
    }

    fn ended(&self) -> EngineError {
        thread::sleep(LAST_WORDS);
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let last_words = match complaint.as_str() {
            "" => String::new(),
            words => format!(": {}", shortened(words)),
        };
        EngineError::Ended {
            during: match self.asked.as_str() {
                "" => "starting".to_owned(),
                asked => format!("answering {:?}", shortened(asked)),
            },
            last_words,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        group::kill(&self.child);
        group::kill_marked(&format!("{MARK}={}", self.mark));
        let _ = self.child.kill();
        // Without this it would stay behind as a zombie.
        let _ = self.child.wait();
    }
}

fn read_all(stream: impl std::io::Read, mut keep: impl FnMut(String) -> bool) {
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    while let Ok(line) = read_line(&mut stream, &mut bytes) {
        let kept = match line {
            Line::Text(text) => keep(text.to_owned()),
            Line::NotText => keep(String::from_utf8_lossy(&bytes).into_owned()),
            Line::TooLong => true,
            Line::End => return,
        };
        if !kept {
            return;
        }
    }
}

/// Returns at most 120 characters of a line, none of which moves a terminal's cursor or changes its colors.
pub(super) fn shortened(line: &str) -> String {
    let mut characters = line.chars().filter(|it| !it.is_control());
    let mut text: String = characters.by_ref().take(120).collect();
    if characters.next().is_some() {
        text.push_str("...");
    }
    text
}

/// What only the operating system can do.
#[cfg(unix)]
mod group {
    #![expect(
        unsafe_code,
        reason = "the standard library ends neither a process group nor a child whose parent was killed, and masks no signals"
    )]

    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// Gives the child a group of its own, and on Linux lets it die with the thread that starts it.
    pub(super) fn own_group(command: &mut Command) {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        // SAFETY: between fork and exec only `prctl` is called, which is allowed there.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
    }

    /// Kills the child with all that it started.
    pub(super) fn kill(child: &Child) {
        if let Ok(id) = libc::pid_t::try_from(child.id()) {
            // SAFETY: the child is not waited for yet, so its number and its group's is still its own.
            unsafe {
                libc::kill(-id, libc::SIGKILL);
            }
        }
    }

    /// Kills all processes with a variable in their environment, which they got when they began: those that an engine
    /// started in sessions of their own.
    pub(super) fn kill_marked(variable: &str) {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return;
        };
        for process in processes.flatten() {
            let name = process.file_name();
            let id = name
                .to_str()
                .and_then(|name| name.parse::<libc::pid_t>().ok());
            let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|&byte| byte == 0);
            if let Some(id) = id.filter(|_| variables.any(|it| it == variable.as_bytes())) {
                // SAFETY: a number may have gone to another process since; that is as unlikely as between any two
                // calls, and `kill` has no precondition.
                unsafe {
                    libc::kill(id, libc::SIGKILL);
                }
            }
        }
    }

    /// Makes writing to a process that has ended an error on this thread, in place of a signal that ends us.
    pub(super) fn survive_broken_pipes() {
        // SAFETY: the set is initialized by `sigemptyset` before it is used, and belongs to this thread.
        unsafe {
            let mut set = std::mem::zeroed::<libc::sigset_t>();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        }
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command};

    pub(super) fn own_group(_: &mut Command) {}
    pub(super) fn kill(_: &Child) {}
    pub(super) fn kill_marked(_: &str) {}
    pub(super) fn survive_broken_pipes() {}
}
