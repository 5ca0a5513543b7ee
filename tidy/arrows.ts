// The direction of imports, as data: which package may use which, and inside a package which folder may use which.
// A folder that is not here may not exist: adding one means deciding, in this table, what it may touch.
// Owns: the tables. Does not own: how they are checked (layers.ts).

export interface PackageArrows {
  /** The specifiers under which others may import this package; everything else of it is private. */
  readonly doors: readonly string[];
  /** Folders and root files of `src`, each with what it may import; "*" is everything. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  /** Workspace packages, Node and others from outside, by the folder that may import them; "*" is every folder. */
  readonly outside: Readonly<Record<string, readonly RegExp[]>>;
}

const PROTOCOL = /^@framerail\/protocol(?:\/|$)/;
const CLIENT = /^@framerail\/client(?:\/|$)/;
const REACT = /^react(?:\/|$)/;
const REACT_DOM = /^react-dom(?:\/|$)/;
/** Whatever the package lists as a dependency; other workspace packages are not meant by it. */
const DEPENDENCY = /^(?!@framerail\/|framerail(?:\/|$))/;

const GROUND = ["error", "limits", "clock"];
const RUNTIME_GROUND = ["error", "limits", "clock", "telemetry"];

export const ARROWS: Readonly<Record<string, PackageArrows>> = {
  // Web platform only: no dependency, no Node.
  protocol: {
    doors: ["@framerail/protocol", "@framerail/protocol/schema"],
    folders: {
      index: ["*"],
      error: [],
      "explain-code": ["error"],
      limits: [],
      clock: ["error", "limits"],
      schema: ["error", "limits"],
      frame: ["schema", ...GROUND],
      event: ["frame", "schema", ...GROUND],
      lifecycle: ["event", "frame", "schema", ...GROUND],
      pipeline: ["lifecycle", "envelope", "event", "frame", "schema", ...GROUND],
      codec: ["schema", "error", "limits"],
      envelope: ["schema", "error", "limits"],
      // The message is folded from events, and its items share fields with frames.
      transcript: ["event", "frame", "schema", "error", "limits"],
    },
    outside: {},
  },
  // Browser, React Native, Node and edge: what is not there everywhere is not used.
  client: {
    doors: ["@framerail/client", "@framerail/client/react"],
    folders: { "*": ["*"] },
    outside: { "*": [PROTOCOL], react: [REACT] },
  },
  console: {
    doors: [],
    folders: { "*": ["*"] },
    outside: { "*": [PROTOCOL, CLIENT, REACT, REACT_DOM] },
  },
  // The arrows follow the path of a turn: agent → worker → dispatch → publish → log → gateway. `cli` composes, and is
  // the only one to pick a driver: the folders below log/ and store/.
  framerail: {
    doors: ["framerail", "framerail/agent"],
    folders: {
      index: ["agent", "backend", ...RUNTIME_GROUND],
      error: [],
      limits: [],
      clock: ["error", "limits"],
      "end-of-tick": ["clock"],
      telemetry: GROUND,
      registry: RUNTIME_GROUND,
      policy: ["registry", ...RUNTIME_GROUND],
      agent: ["registry", ...RUNTIME_GROUND],
      backend: ["agent", "registry", ...RUNTIME_GROUND],
      worker: ["agent", "backend", "registry", ...RUNTIME_GROUND],
      log: RUNTIME_GROUND,
      "log/memory": ["log", "end-of-tick", ...RUNTIME_GROUND],
      "log/redis": ["log", "end-of-tick", ...RUNTIME_GROUND],
      store: ["end-of-tick", ...RUNTIME_GROUND],
      "store/embedded": ["store", ...RUNTIME_GROUND],
      "store/postgres": ["store", ...RUNTIME_GROUND],
      session: ["store", ...RUNTIME_GROUND],
      ledger: ["store", ...RUNTIME_GROUND],
      history: ["store", ...RUNTIME_GROUND],
      publish: ["policy", "registry", "log", ...RUNTIME_GROUND],
      "dispatch/redis": ["dispatch", ...RUNTIME_GROUND],
      dispatch: ["publish", "registry", "log", "session", "ledger", "history", "store", ...RUNTIME_GROUND],
      pipeline: ["store", ...RUNTIME_GROUND],
      gateway: ["dispatch", "pipeline", "registry", "log", "session", "ledger", "history", ...RUNTIME_GROUND],
      "gateway/redis": ["gateway", ...RUNTIME_GROUND],
      cli: ["*"],
    },
    outside: { "*": [PROTOCOL, DEPENDENCY], cli: [CLIENT] },
  },
};
