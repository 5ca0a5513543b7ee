// What this browser keeps. Looked up with every use: where a page may keep nothing, `localStorage` throws when it is named,
// and whoever reads or writes is ready for that (stored-conversations.ts K3).

export const browserStorage: Pick<Storage, "getItem" | "setItem"> = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};
