// What the processes of one deployment tell each other beside the log: who is read where, and who is asked to stop.
// A process that is alone needs none of it. Driver: redis/.

export interface Replicas {
  /** These turns, which other processes own, are read here; said again before PRESENCE_MS_TTL is over. */
  announceReaders(turnIds: readonly string[]): Promise<void>;
  /** Whether any other process has said so of the turn. */
  isReadElsewhere(turnId: string): Promise<boolean>;
  /** Asks the owner of the turn to cancel it. May be lost: whoever asks looks whether it happened, and asks again. */
  askCancel(owner: string, turnId: string): Promise<void>;
  /** Hears what others ask of this process. */
  onCancel(listener: (turnId: string) => void): void;
}
