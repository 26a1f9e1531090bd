//! Headless Chromium, driven by ChromeDriver (the WebDriver protocol, W3C, and `DevTools` commands).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Switches of Chromium: it shows nothing, asks nobody, and runs as any user.
const SWITCHES: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
];

/// How long a page may take for anything, on a machine that is busy with other work.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page, without a network. It ends with the value.
pub(crate) struct Browser {
    driver: Child,
    address: String,
    agent: ureq::Agent,
}

/// Texts that are shown with less contrast than WCAG 2.2 asks for (1.4.3): 4.5 to 1, large ones 3 to 1. Parts that
/// cannot be used need none. A text's ground is what its ancestors paint, one over the other.
const UNREADABLE: &str = "
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const parts = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = (top, ground, opacity) => [0, 1, 2].map((i) => top[i] * top[3] * opacity + ground[i] * (1 - top[3] * opacity));
    const luminance = (color) => color.map((part) => part / 255)
      .map((share) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = node.parentElement;
      const text = node.textContent.trim();
      if (!text || !holder.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || holder.closest('option, script, style, .board')) continue;
      if (holder.closest(':disabled, [aria-disabled=true]')) continue;
      const box = holder.getBoundingClientRect();
      if (box.width <= 1 || box.height <= 1) continue;
      const line = [];
      for (let one = holder; one; one = one.parentElement) line.unshift(one);
      let ground = [255, 255, 255];
      let opacity = 1;
      for (const one of line) {
        const style = getComputedStyle(one);
        opacity *= Number(style.opacity);
        ground = over(parts(style.backgroundColor), ground, opacity);
      }
      // A bar's text stands on its bar.
      const bar = holder.closest('.part')?.querySelector('rect');
      if (bar) ground = over(parts(getComputedStyle(bar).fill), ground, opacity);
      const style = getComputedStyle(holder);
      const color = over(parts(holder instanceof SVGElement ? style.fill : style.color), ground, opacity);
      const [light, dark] = [luminance(color), luminance(ground)].sort((one, other) => other - one);
      const size = parseFloat(style.fontSize);
      const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < needed) found.add(`${ratio.toFixed(2)} ${holder.tagName} ${holder.getAttribute('class') ?? ''}: ${text.slice(0, 40)}`);
    }
    return [...found];";

/// What is cut, and by how much. A select hides the text that it has no room for; its width without a limit tells.
const CUT: &str = "
    document.body.style.fontFamily = font;
    const wanted = (one) => {
      if (one.tagName !== 'SELECT') return one.scrollWidth - one.clientWidth;
      const before = [one.offsetWidth, one.style.cssText];
      one.style.cssText = 'width: max-content; max-width: none';
      const width = one.offsetWidth;
      one.style.cssText = before[1];
      return width - before[0];
    };
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0 && !one.closest('.scroll, .moves'));
    const name = (one) => `${one.outerHTML.slice(0, 80)} (${(one.closest('label') ?? one).textContent.trim().slice(0, 40)})`;
    const beyond = (one) => Math.round(one.getBoundingClientRect().right - innerWidth);
    const cut = [
      ...shown(boxes).filter((one) => beyond(one) > 1).map((one) => `${beyond(one)} px beyond the window: ${name(one)}`),
      ...shown(texts).filter((one) => wanted(one) > 1).map((one) => `${wanted(one)} px of the text are hidden: ${name(one)}`),
    ];
    document.body.style.fontFamily = '';
    return cut;";

/// Fails where a page could ask for anything but itself.
pub(crate) fn assert_asks_for_nothing(html: &str) {
    for asked in [
        " src=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!html.contains(asked), "{asked}");
    }
}

/// Starts ChromeDriver; the port it listens on. It asks for a free port of IPv6 and ends if another
/// program has that of IPv4, as many browsers at once make likely: `None` then.
fn driver() -> Option<(Child, u16)> {
    let program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
    let driver = Command::new(&program)
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut driver = driver.unwrap_or_else(|error| {
        panic!(
            "{program}: {error}; ./scripts/setup-chromium installs Chromium and ChromeDriver, \
             TAFL_NO_BROWSER=1 leaves out the tests that look at pages"
        )
    });
    let lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
    let port = lines.map_while(Result::ok).find_map(|line| port_of(&line));
    if port.is_none() {
        driver
            .wait()
            .expect("ChromeDriver ends where it does not listen");
    }
    Some((driver, port?))
}

impl Browser {
    /// Starts the browser; `None` where `TAFL_NO_BROWSER=1` leaves out what needs one.
    #[expect(clippy::print_stderr, reason = "whoever leaves tests out is told so")]
    pub(crate) fn start() -> Option<Self> {
        if std::env::var("TAFL_NO_BROWSER").is_ok_and(|value| value == "1") {
            eprintln!("TAFL_NO_BROWSER=1: the page was not looked at");
            return None;
        }
        let (driver, port) = (0..5)
            .find_map(|_| driver())
            .expect("ChromeDriver says its port");
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)));
        let mut browser = Self {
            driver,
            address: format!("http://127.0.0.1:{port}"),
            agent: config.build().into(),
        };
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "args": SWITCHES },
        } } });
        let session = browser.post("/session", &wanted);
        let id = session["sessionId"].as_str().expect("a session").to_owned();
        browser.address += &format!("/session/{id}");
        browser.post("/timeouts", &json!({ "script": 110_000 }));
        browser.devtools("Network.enable", &json!({}));
        let offline = json!({ "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0 });
        browser.devtools("Network.emulateNetworkConditions", &offline);
        Some(browser)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.address))
            .send_json(body)
            .expect("ChromeDriver answers");
        let answer: Value = answer.body_mut().read_json().expect("JSON");
        let value = &answer["value"];
        assert!(value["error"].is_null(), "{path} {body}: {value}");
        value.clone()
    }

    /// Sends a command of Chromium's own protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("/goog/cdp/execute", &body)
    }

    /// Opens a file and waits until its script is done.
    pub(crate) fn open(&self, file: &Path) {
        self.open_at(file, "");
    }

    /// Opens a file anew at a place of its own, such as `#games`, and waits until its script is done and the charts that are
    /// shown are drawn, which happens with the frame after it.
    pub(crate) fn open_at(&self, file: &Path, place: &str) {
        // Another place of the page that is open would be followed later, by the document that is there.
        self.post("/url", &json!({ "url": "about:blank" }));
        let address = format!("file://{}{place}", file.display());
        self.post("/url", &json!({ "url": address }));
        self.wait("document.documentElement.dataset.ready === 'yes'");
        self.wait("[...document.querySelectorAll('.plot')].every((plot) => !plot.checkVisibility() || plot.firstElementChild)");
    }

    /// Returns what a function body gives.
    pub(crate) fn ask(&self, body: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": body, "args": [] }))
    }

    /// Asserts that none of `boxes` reaches beyond the window and none of the controls `texts` hides a part of its text, in
    /// the page's font and in a wide one; says which is cut by how much. Both are selectors; areas that scroll are left out.
    pub(crate) fn assert_nothing_is_cut(&self, boxes: &str, texts: &str, what: &str) {
        for font in ["", "monospace"] {
            let given = json!([boxes, texts, font]);
            let cut = self.ask(&format!("const [boxes, texts, font] = {given}; {CUT}"));
            assert_eq!(cut, json!([]), "{what}, font {font:?}");
        }
    }

    /// Returns the text that an expression gives.
    pub(crate) fn text(&self, expression: &str) -> String {
        let value = self.ask(&format!("return {expression}"));
        value
            .as_str()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
            .to_owned()
    }

    /// Returns the number that an expression gives.
    pub(crate) fn number(&self, expression: &str) -> f64 {
        let value = self.ask(&format!("return {expression}"));
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&self, expression: &str) {
        let start = Instant::now();
        while self.ask(&format!("return {expression}")) != json!(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "{expression}: {:?}",
                self.complaints()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns where the middle of an element is, after scrolling it into view.
    fn middle(&self, selector: &str) -> [f64; 2] {
        let found = self.ask(&format!(
            "const found = document.querySelector({});
             found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             const rect = found.getBoundingClientRect();
             return [rect.x + rect.width / 2, rect.y + rect.height / 2]",
            json!(selector)
        ));
        [0, 1].map(|axis| found[axis].as_f64().expect("a number").round())
    }

    /// Taps an element with a finger.
    pub(crate) fn tap(&self, selector: &str) {
        let [x, y] = self.middle(selector);
        self.point("touch", &[[x, y]]);
    }

    /// Drags one element to another with the mouse.
    pub(crate) fn drag(&self, from: &str, to: &str) {
        let [from, to] = [self.middle(from), self.middle(to)];
        let between = [0, 1].map(|axis| ((from[axis] + to[axis]) / 2.0).round());
        self.point("mouse", &[from, between, to]);
    }

    /// Presses at the first place, goes to the others and lets go.
    fn point(&self, pointer: &str, places: &[[f64; 2]]) {
        let go = |place: &[f64; 2]| json!({ "type": "pointerMove", "x": place[0], "y": place[1], "duration": 20 });
        let mut steps = vec![
            go(&places[0]),
            json!({ "type": "pointerDown", "button": 0 }),
        ];
        steps.extend(places[1..].iter().map(go));
        steps.push(json!({ "type": "pointerUp", "button": 0 }));
        let pointer = json!({ "type": "pointer", "id": pointer, "parameters": { "pointerType": pointer }, "actions": steps });
        self.post("/actions", &json!({ "actions": [pointer] }));
    }

    /// Presses and releases a key: a letter, or one of the protocol's codes such as [`RIGHT`].
    pub(crate) fn press(&self, key: char) {
        let strokes =
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }));
        let keys = json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] });
        self.post("/actions", &keys);
    }

    /// Returns what the page complained of since the last call: errors of scripts, refused requests, warnings.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().expect("a list");
        entries
            .iter()
            .map(|entry| entry["message"].to_string())
            .collect()
    }

    /// Sets the size of the window, as a phone's where it is narrow.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Fails where a text that is shown can hardly be read.
    pub(crate) fn assert_readable(&self, what: &str) {
        assert_eq!(self.ask(UNREADABLE), json!([]), "{what}");
    }

    /// Says whether the reader's system prefers dark colors.
    pub(crate) fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session, ChromeDriver only when it is told to.
        let _ = self.agent.delete(&self.address).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Keys of the protocol (WebDriver, 17.4.2).
pub(crate) const LEFT: char = '\u{e012}';
pub(crate) const RIGHT: char = '\u{e014}';
pub(crate) const HOME: char = '\u{e011}';
pub(crate) const END: char = '\u{e010}';

fn port_of(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("started successfully on port ")?;
    rest.trim_end_matches('.').parse().ok()
}
