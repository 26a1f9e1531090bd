// The page: tabs around a board, and what reaches the reader when something is wrong.

/// Puts a sentence on top of the page.
function warn(message) {
  const place = document.getElementById("trouble");
  place.replaceChildren(el("span", {}, message), el("button", { type: "button", "aria-label": "✕", onclick: () => { place.hidden = true; } }, "✕"));
  place.hidden = false;
}

/// A name, with a number behind it where it is not free.
function numbered(name, isFree) {
  let free = name;
  for (let number = 2; !isFree(free); number += 1) free = `${name}-${number}`;
  return free;
}

/// Takes the sentence away: what it was about is past.
function calm() {
  document.getElementById("trouble").hidden = true;
}

function pageHead(tabs, choose) {
  const buttons = tabs.map((name) => el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "content", "aria-selected": "false", onclick: () => choose(name) }, WORDS.tabs[name]));
  document.getElementById("top").append(el("div", { class: "title" }, el("h1", {}, WORDS.title), el("div", { class: "tabs", role: "tablist", "aria-label": WORDS.title }, buttons), themeButton()));
  return buttons;
}

async function startPage() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const engine = startEngine(data);
  await engine.ready;
  const about = await engine.ask("about");
  for (const form of data.rulesets) about.rulesets.push(await engine.ask("ruleset", { ruleset: form }));
  const app = { engine, about, tab: "play" };
  app.named = (ruleset) => ({ ...ruleset, netName: ruleset.net === null ? null : about.nets[ruleset.net] });
  app.rulesets = about.rulesets.map(app.named);
  /// Whether the page came with a ruleset of that name.
  app.isOfPage = (name) => about.rulesets.some((one) => one.form.name === name);
  for (const form of keptRules()) {
    const kept = await engine.ask("ruleset", { ruleset: form }).then(app.named, () => null);
    if (kept && !app.isOfPage(kept.form.name)) app.rulesets.push(kept);
  }
  app.first = app.rulesets.find((one) => one.form.name === (data.first ?? about.made_for));
  app.fail = (error) => warn(error.message || WORDS.errors.hurt);
  app.top = () => { if (window.scrollY > 200) window.scrollTo({ top: 0, behavior: isStill() ? "auto" : "smooth" }); };
  const spoken = el("p", { class: "spoken", "aria-live": "polite" });
  app.say = (words) => { spoken.textContent = words; };
  app.table = makeTable({ onMove: (from, to) => app.parts[app.tab].onMove(from, to), onRefused: (from, to) => app.refuse(from, to).catch(app.fail), label: WORDS.board });
  /// Says why a move is not legal, as `tafl play` does, where the reader is to move.
  app.refuse = async (from, to) => {
    const tree = app.parts[app.tab].tree();
    if (!tree || app.table.legal.length === 0) return;
    const [node, { size }] = [tree.current, tree.ruleset.board];
    const named = (index) => (index === null ? null : squareName(index, size));
    const words = await engine.ask("refusal", { game: gameTo(tree, node), from: named(from), to: named(to) });
    if (words && node === tree.current) app.say(words);
  };
  const play = makePlay(app);
  const analyze = makeAnalyze(app);
  const editor = makeEditor(app);
  const learn = makeLearn(app);
  app.parts = { play, learn, analyze, rules: editor };

  const content = document.getElementById("content");
  const help = el("p", { class: "note keys" }, WORDS.boardHelp);
  const shared = el("div", { class: "both" }, el("div", { class: "place" }, app.table.node, spoken, help));
  const buttons = pageHead(Object.keys(app.parts), (name) => app.go(name));
  app.go = (name, quietly = false) => {
    if (name !== app.tab) app.parts[app.tab].leave();
    app.tab = name;
    document.documentElement.dataset.tab = name;
    buttons.forEach((button) => button.setAttribute("aria-selected", button.id === `tab-${name}`));
    if (name === "rules") content.replaceChildren(editor.node);
    else {
      shared.replaceChildren(shared.firstChild, app.parts[name].node);
      content.replaceChildren(shared);
    }
    if (!quietly) app.parts[name].show();
  };
  app.analyze = async (tree, wantsReview) => {
    // What was played stays as it is: the analysis has a tree of its own.
    const copied = makeTree(engine, tree.ruleset, tree.start, tree.root.state);
    const copyOf = (from, to) => from.children.forEach((child) => { const twin = { ...child, parent: to, children: [] }; to.children.push(twin); copyOf(child, twin); });
    copyOf(tree.root, copied.root);
    if (tree.end?.after === lineThrough(tree.root).at(-1)) copied.end = { ...tree.end, after: lineThrough(copied.root).at(-1) };
    app.go("analyze", true);
    app.top();
    await analyze.open(copied, { wantsReview }).catch(app.fail);
  };
  const lists = [play.ui.rules, learn.ui.rules, analyze.ui.rules, editor.ui.base].map(({ select }) => select);
  /// Offers a ruleset wherever one is chosen, and keeps one of the reader's own. Without `keep` it comes with an old game, and
  /// takes no place of another.
  app.adopt = (ruleset, keep = true) => {
    const { name } = ruleset.form;
    const known = app.rulesets.findIndex((one) => one.form.name === name);
    if (app.isOfPage(name) || (known >= 0 && !keep)) return;
    const isNews = JSON.stringify(app.rulesets[known]?.form) !== JSON.stringify(ruleset.form);
    if (known < 0) app.rulesets.push(ruleset); else app.rulesets[known] = ruleset;
    if (known < 0) lists.forEach((select) => select.append(el("option", { value: name }, rulesetName(ruleset))));
    // What another tab made of rules that this one has still stays.
    if (keep && (isNews || !areKept(name))) keepRules(ruleset.form);
  };
  /// Takes a ruleset of the reader's own away; games that were played under it have it still.
  app.forget = (name) => {
    drop(KEPT_RULES + name);
    app.rulesets = app.rulesets.filter((one) => one.form.name !== name);
    for (const select of lists) {
      const wasChosen = select.value === name;
      [...select.options].find((option) => option.value === name).remove();
      if (wasChosen) select.dispatchEvent(new Event("change"));
    }
  };
  const against = () => about.levels.find((one) => one.name === play.ui.against.select.value) ?? null;
  app.learn = async (ruleset) => { learn.learn.played = rulesText(ruleset); app.go("learn", true); app.top(); await learn.open(ruleset); };
  app.playRules = (ruleset) => play.start({ ruleset, you: "attackers", level: against() });
  /// The rules of a game from elsewhere, under another name where the reader has other rules by theirs.
  const beside = async (ruleset) => {
    const { form } = ruleset;
    const known = (name) => app.rulesets.find((one) => one.form.name === name)?.form;
    const name = numbered(form.name, (free) => [undefined, JSON.stringify({ ...form, name: free })].includes(JSON.stringify(known(free))));
    return name === form.name ? ruleset : app.named(await engine.ask("ruleset", { ruleset: { ...form, name } }));
  };
  /// Keeps the rules that came with a game from elsewhere.
  app.bring = async (tree) => { tree.ruleset = await beside(tree.ruleset); app.adopt(tree.ruleset); };
  app.playFrom = async ({ ruleset, current: { state } }) => play.start({ ruleset: await beside(ruleset), start: state.position, you: state.side, level: against() });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches?.(".scroll") || event.target.closest?.("input:not([type=checkbox]), textarea, select, dialog")) return;
    const act = app.parts[app.tab].keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  if (!(await play.resume())) await play.begin({ ruleset: app.first, you: "attackers", level: about.levels[0] });
  if (!(await analyze.resume())) await analyze.open(await newTree(engine, app.first));
  const follow = async () => {
    try {
      const linked = await readLink(app, location.hash);
      if (!linked) return false;
      await app.bring(linked);
      app.go("analyze", true);
      await analyze.open(linked);
      calm();
      return true;
    } catch (error) {
      app.fail(error);
      return false;
    }
  };
  if (!(await follow())) app.go("play");
  window.addEventListener("hashchange", follow);
  // For scripts: `await taflforge.ask("line", {...})`; README.md of crates/tafl-web lists the questions.
  window.taflforge = app;
}

document.addEventListener("DOMContentLoaded", async () => {
  document.getElementById("bottom").append(note(WORDS.foot));
  document.getElementById("loading").textContent = WORDS.status.loading;
  try {
    await startPage();
  } catch (error) {
    document.getElementById("content").replaceChildren();
    warn(error.message || WORDS.errors.hurt);
  }
  document.documentElement.dataset.ready = "yes";
});
