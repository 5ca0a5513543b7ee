// A chat in a real browser, in StrictMode, that notes what React did: the page of the browser test.

import { createElement, StrictMode, useLayoutEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "../../packages/client/src/index.js";
import { useSession, useTurn } from "../../packages/client/src/react/index.js";

const noted = {
  /** The number of the animation frame in which each change of the text was committed. */
  commits: [] as number[],
  frame: 0,
  mounts: 0,
};
Object.assign(globalThis, { noted });

const tick = () => {
  noted.frame += 1;
  requestAnimationFrame(tick);
};
requestAnimationFrame(tick);

const client = createClient({ url: location.origin });

function Chat() {
  const { send, turn, state } = useSession(client, { agentId: "a" });
  const [isShown, setShown] = useState(true);
  return createElement(
    "main",
    null,
    createElement("button", { id: "send", type: "button", onClick: () => send("hello") }, "Send"),
    createElement("button", { id: "toggle", type: "button", onClick: () => setShown(!isShown) }, "Show or hide"),
    createElement("output", { id: "connection" }, state?.connection ?? "none"),
    isShown && turn !== undefined && createElement(Answer, { turn }),
  );
}

function Answer({ turn }: { readonly turn: Parameters<typeof useTurn>[0] & object }) {
  const { text } = useTurn(turn);
  useLayoutEffect(() => {
    noted.mounts += 1;
  }, []);
  useLayoutEffect(() => {
    if (text !== "") noted.commits.push(noted.frame);
  }, [text]);
  return createElement("p", { id: "answer" }, text);
}

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(createElement(StrictMode, null, createElement(Chat)));
