// Light, dark, or as the system has it. What was chosen is kept by this browser.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "framerail.theme";

export function readTheme(storage: Pick<Storage, "getItem">): Theme {
  try {
    const kept = storage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? "system";
  } catch {
    // A browser that lets no page keep anything has the system's theme.
    return "system";
  }
}

export function keepTheme(storage: Pick<Storage, "setItem">, theme: Theme): void {
  try {
    storage.setItem(KEY, theme);
  } catch {
    // It holds for this page then, and is asked for again on the next.
  }
}

/** The style sheet knows the attribute; without one, the system decides. */
export function applyTheme(root: HTMLElement, theme: Theme): void {
  if (theme === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
}
