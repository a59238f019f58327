// What a person has set for this browser: kept in it, applied before anything is drawn, changed in a dialog. And the sounds.
(() => {
  // The first option of each is meant where nothing was chosen.
  const SETTINGS = {
    theme: { title: "Colours", options: { system: "As the system", day: "Day", night: "Night" } },
    coordinates: { title: "Coordinates", options: { on: "Shown", off: "Hidden" } },
    animation: { title: "Animation", options: { on: "On", off: "Off" } },
    confirm: { title: "A move", options: { off: "Is made at once", on: "Is confirmed by a second click" } },
    sound: { title: "Sound", options: { off: "Off", on: "On" } },
  };
  const KEY = "randori-settings";

  // A browser may keep nothing, or somebody else's text.
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || {};
    } catch {
      return {};
    }
  };
  const setting = (name) => {
    const chosen = kept()[name], options = Object.keys(SETTINGS[name].options);
    return options.includes(chosen) ? chosen : options[0];
  };
  const apply = () => {
    for (const name in SETTINGS) document.documentElement.dataset[name] = setting(name);
  };
  const change = (name, value) => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...kept(), [name]: value }));
    } catch { /* it holds for this page */ }
    apply();
    document.documentElement.dataset[name] = value;
    if (name === "sound" && value === "on") sound("place");
  };

  // Each sound is a short tone that falls in height: from and to in hertz, seconds, loudness.
  const SOUNDS = { place: [[420, 180, 0.07, 0.25]], turn: [[420, 180, 0.07, 0.2], [300, 240, 0.09, 0.12]], end: [[440, 440, 0.18, 0.15], [660, 660, 0.3, 0.15]] };
  let audio = null;
  const sound = (name) => {
    if (setting("sound") !== "on" || !window.AudioContext) return;
    audio ??= new AudioContext();
    let at = audio.currentTime;
    for (const [from, to, seconds, loudness] of SOUNDS[name]) {
      const tone = audio.createOscillator(), volume = audio.createGain();
      tone.type = "triangle";
      tone.frequency.setValueAtTime(from, at);
      tone.frequency.exponentialRampToValueAtTime(to, at + seconds);
      volume.gain.setValueAtTime(loudness, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + seconds);
      at += seconds;
    }
  };

  const group = ([name, { title, options }]) => {
    const choices = Object.entries(options).map(([value, label]) =>
      `<label><input type="radio" name="${name}" value="${value}" ${setting(name) === value ? "checked" : ""}>${label}</label>`);
    return `<fieldset><legend>${title}</legend>${choices.join("")}</fieldset>`;
  };
  const open = () => {
    const dialog = document.createElement("dialog");
    dialog.className = "settings";
    dialog.setAttribute("aria-labelledby", "settings-title");
    dialog.innerHTML = `<form method="dialog"><h2 id="settings-title">Settings</h2>${Object.entries(SETTINGS).map(group).join("")}
      <p class="note">They are kept in this browser.</p><button class="button main">Done</button></form>`;
    dialog.addEventListener("change", (event) => change(event.target.name, event.target.value));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  window.randori = { setting, sound };
  apply();
  addEventListener("storage", apply);
  addEventListener("click", (event) => event.target.closest?.("#settings") && open());
})();
