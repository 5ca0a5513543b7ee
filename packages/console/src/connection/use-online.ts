// Whether the browser thinks that it has a network.

import { useSyncExternalStore } from "react";

export function useOnline(): boolean {
  return useSyncExternalStore(watchNetwork, () => navigator.onLine);
}

function watchNetwork(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
