// Elements, words and tables.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const MINUS = "\u2212";
const fixed = (number, digits) => number.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "").replace("-", MINUS);
const whole = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, "\u2009").replace("-", MINUS);
const signed = (number) => (number > 0 ? "+" : "") + fixed(number, 0);
const percent = (share, digits = 1) => `${fixed(100 * share, digits)}\u00a0%`;
/// No number of games makes a probability certain.
const probability = (share) => ({ [percent(0)]: `< ${percent(0.001)}`, [percent(1)]: `> ${percent(0.999)}` })[percent(share)] ?? percent(share);
const short = (number) => {
  const size = Math.abs(number);
  if (size >= 10000) return `${fixed(number / 1000, 0)}k`;
  if (size >= 100 || Number.isInteger(number)) return fixed(number, 0);
  if (size >= 1) return fixed(number, 2);
  return size >= 0.001 || size === 0 ? fixed(number, 3) : number.toExponential(1).replace("-", MINUS);
};
// A number alone, such as that of the player at 0 or of a single game, has no interval.
const rangeText = ({ low, high }, write) => (low < high ? ` (${write(low)} to ${write(high)})` : "");
const shareText = (estimate) =>
  estimate ? percent(estimate.value) + rangeText(estimate, (share) => fixed(100 * share, 1)) : "–";
const eloText = (estimate) => (estimate ? signed(estimate.value) + rangeText(estimate, signed) : "–");
const numberText = (estimate, digits = 1) =>
  fixed(estimate.value, digits) + rangeText(estimate, (number) => fixed(number, digits));
const gamesOf = (tally) => tally.wins + tally.draws + tally.losses + tally.capped;
const scoreOf = (tally) => (tally.wins + 0.5 * (tally.draws + tally.capped)) / Math.max(gamesOf(tally), 1);
const plural = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const REASONS = {
  "king-captured": "king captured", "king-escaped": "king escaped", "encirclement": "all defenders encircled",
  "fort": "edge fort", "no-move": "no legal move", "repetition": "repetition", "captureless": "too long without a capture",
  "unfinishable": "can no longer be won", "capped": "cut at the ply limit", "adjudicated": "adjudicated",
};
const reasonText = (reason) => REASONS[reason] ?? reason;
const outcomeText = (winner, reason) => {
  if (winner) return `${capital(winner)} win: ${reasonText(reason)}`;
  return reason === "capped" ? "Unfinished: cut at the ply limit" : `Draw: ${reasonText(reason)}`;
};

/// In tables of more columns than these, numbers break into lines.
const MOST_PLAIN = 8;

/// A table; numbers (and what begins like one) stand to the right. The first column is a head of its row.
function table(caption, head, rows) {
  const isNumber = (cell) => typeof cell === "string" && /^([+\u2212]|[<>] )?[\d–]/.test(cell);
  const cell = (content, column) => {
    const tag = column === 0 ? "th" : "td";
    return el(tag, { scope: column === 0 ? "row" : null, class: column > 0 && isNumber(content) ? "number" : null }, content);
  };
  const numeric = head.map((_, column) => column > 0 && rows.length > 0 && rows.every((row) => isNumber(row[column])));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", { class: head.length > MOST_PLAIN ? "wide" : null },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map((text, column) => el("th", { scope: "col", class: numeric[column] ? "number" : null }, text)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell)))),
    ),
  );
}

const fold = (summary, ...content) => el("details", {}, el("summary", {}, summary), ...content);
const warning = (...content) => el("p", { class: "warning" }, el("strong", {}, "Note: "), ...content);
/// Words between backticks are commands.
const coded = (text) => (typeof text === "string" ? text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part)) : text);
const note = (...content) => el("p", { class: "note" }, content.map(coded));

function section(id, title, ...content) {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...content);
}

/// A choice with a label; `change` gets the value now and whenever it changes.
function choice(label, options, change, chosen) {
  const select = el("select", {}, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  select.addEventListener("change", () => change(select.value));
  const node = el("label", { class: "choice" }, el("span", {}, label), select);
  return { node, select };
}

/// A few words in a box beside a number.
const tile = (number, words) => el("div", { class: "tile" }, el("b", {}, number), el("span", {}, words));

const THEMES = ["auto", "light", "dark"];

/// Remembers the choice of light or dark where the browser lets a file remember something.
function themeButton() {
  const stored = () => { try { return localStorage.getItem("tafl-theme"); } catch { return null; } };
  const button = el("button", { type: "button", class: "theme" });
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[theme];
    button.setAttribute("aria-label", `Colors: ${theme}; press for ${THEMES[(THEMES.indexOf(theme) + 1) % 3]}`);
    try { localStorage.setItem("tafl-theme", theme); } catch { /* the choice lasts as long as the page */ }
  };
  button.addEventListener("click", () => set(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
  set(THEMES.includes(stored()) ? stored() : "auto");
  return button;
}

/// Puts a text on the clipboard, and says on the button whether it is there.
async function copy(text, button) {
  // At a second press the button may still say what became of the first.
  button.dataset.words ??= button.textContent;
  let isThere = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", {}, text);
    document.body.append(area);
    area.select();
    isThere = document.execCommand("copy");
    area.remove();
  }
  button.dataset.copied = text;
  button.textContent = isThere ? "copied" : "not copied";
  setTimeout(() => { button.textContent = button.dataset.words; }, 1500);
}

/// Signs on buttons, drawn because not every font has them.
const SIGNS = {
  up: "M4 15l8-8 8 8", down: "M4 9l8 8 8-8", back: "M15 4l-8 8 8 8", forward: "M9 4l8 8-8 8",
  first: "M19 4l-8 8 8 8M6 4v16", last: "M5 4l8 8-8 8M18 4v16", play: "M7 4v16l13-8z", pause: "M8 4v16M16 4v16",
};
const sign = (name) => svg("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
