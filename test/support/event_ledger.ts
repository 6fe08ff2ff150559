import { fold, isInOrder } from '../../src/events/fold.ts';
import { type Checkpoint, compareInputs, isCheckpoint, refold } from '../../src/events/refold.ts';
import { type Input, NO_STATE, type Settings, type State } from '../../src/events/state.ts';
import type { TankEvent } from '../../src/events/tank_event.ts';

/** One tank's inputs, checkpoints and recorded events, in memory: what whoever stores them must do with the fold. */
export class EventLedger {
  settings: Settings;
  state: State = NO_STATE;
  events: TankEvent[] = [];
  refolds = 0;
  readonly #start: Checkpoint;
  #checkpoints: Checkpoint[] = [];
  readonly #inputs: Input[] = [];

  constructor(settings: Settings) {
    this.settings = settings;
    this.#start = { settings, state: NO_STATE };
  }

  /** An input that arrives now; what the clock says by now is heard with it. */
  take(input: Input, nowMs: number): void {
    const at = this.#inputs.findLastIndex((known) => compareInputs(known, input) <= 0);
    const before = this.#inputs[at];
    if (input.kind === 'reading' && before?.kind === 'reading' && before.atMs === input.atMs) return;
    this.#inputs.splice(at + 1, 0, input);
    if (isInOrder(this.state, input)) this.#fold(input);
    else this.#refold(input.atMs, nowMs);
    this.tick(nowMs);
  }

  tick(nowMs: number): void {
    const { state, events } = fold(this.settings, this.state, { kind: 'tick', atMs: nowMs });
    this.state = state;
    this.events.push(...events);
  }

  #fold(input: Input): void {
    const { state, events } = fold(this.settings, this.state, input);
    if (isCheckpoint(this.state, input)) this.#checkpoints.push({ settings: this.settings, state });
    this.state = state;
    if (input.kind === 'settings') this.settings = input.settings;
    this.events.push(...events);
  }

  #refold(atMs: number, nowMs: number): void {
    this.refolds++;
    const kept = this.#checkpoints.filter(({ state }) => state.atMs < atMs);
    const from = kept.at(-1) ?? this.#start;
    const after = ({ atMs: thenMs }: { atMs: number }): boolean => thenMs > from.state.atMs;
    const first = this.#inputs.findLastIndex((input) => !after(input)) + 1;
    const inputs: Input[] = [...this.#inputs.slice(first), { kind: 'tick', atMs: nowMs }];
    const { settings, state, checkpoints, added, changed, voided } = refold(from, inputs, this.events.filter(after));
    const replaced = new Set([...changed, ...voided].map(({ type, atMs: thenMs }) => `${type} ${thenMs}`));
    this.settings = settings;
    this.state = state;
    this.#checkpoints = [...kept, ...checkpoints];
    this.events = this.events.filter(({ type, atMs: thenMs }) => !replaced.has(`${type} ${thenMs}`));
    this.events.push(...added, ...changed);
    this.events.sort((a, b) => a.atMs - b.atMs);
  }
}
