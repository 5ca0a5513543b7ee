// The switch between light, dark and the system's own.

import { useState } from "react";
import { browserStorage } from "../app/browser-storage.js";
import type { Theme } from "./theme.js";
import { applyTheme, keepTheme, readTheme, THEMES } from "./theme.js";

const NAMES: Readonly<Record<Theme, string>> = { system: "Auto", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  const [theme, setTheme] = useState(() => readTheme(browserStorage));
  const choose = (next: Theme) => {
    setTheme(next);
    keepTheme(browserStorage, next);
    applyTheme(document.documentElement, next);
  };
  return (
    <fieldset className="theme-switch">
      <legend className="unseen">Colours</legend>
      {THEMES.map((name) => (
        <label key={name}>
          <input type="radio" name="theme" value={name} checked={theme === name} onChange={() => choose(name)} />
          <span>{NAMES[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
