// The time that plots, tables and the replay share.

type Listener = (time: number, from: unknown) => void;

export class Clock {
  private listeners: Listener[] = [];
  time = NaN; // none yet: no replay, and nobody has asked for one

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Moves everything but who moved it. */
  set(time: number, from: unknown = null): void {
    this.time = time;
    for (const listener of this.listeners) listener(time, from);
  }
}
