import { compareEvents } from '../../src/evaluation/pure/alerts/compare_events.ts';
import { evaluate, isInOrder } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { type Checkpoint, foldInputs, isCheckpoint } from '../../src/evaluation/pure/alerts/fold_inputs.ts';
import { mayRetract } from '../../src/evaluation/pure/alerts/retraction.ts';
import { excludeRetracted, type TankEvent } from '../../src/evaluation/pure/alerts/tank_event.ts';
import {
  type AlertSettings,
  compareInputs,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../../src/evaluation/pure/alerts/tank_state.ts';

/** The number decides only when the week of the tank begins. */
const TANK_NO = 1;

/** One tank's inputs, checkpoints and recorded events, in memory: a model of what the writer does with a database. */
export class EventLedger {
  settings: AlertSettings;
  state: TankState = INITIAL_STATE;
  events: TankEvent[] = [];
  refolds = 0;
  readonly #start: Checkpoint;
  #checkpoints: Checkpoint[] = [];
  readonly #inputs: EvaluationInput[] = [];

  constructor(settings: AlertSettings) {
    this.settings = settings;
    this.#start = { settings, state: INITIAL_STATE };
  }

  /** Adds an input that arrives at `nowMs`, and fires the timers that are due by then. */
  take(input: EvaluationInput, nowMs: number): void {
    const index = this.#inputs.findLastIndex((other) => compareInputs(other, input) <= 0);
    const previous = this.#inputs[index];
    if (input.kind === 'reading' && previous?.kind === 'reading' && previous.atMs === input.atMs) return;
    this.#inputs.splice(index + 1, 0, input);
    if (isInOrder(this.state, input)) this.#evaluate(input);
    else this.#reevaluate(input.atMs, nowMs);
    this.tick(nowMs);
  }

  tick(nowMs: number): void {
    const { state, events } = evaluate(this.settings, this.state, { kind: 'tick', atMs: nowMs });
    this.state = state;
    this.events.push(...events);
  }

  #evaluate(input: EvaluationInput): void {
    const { state, events, retracted } = evaluate(this.settings, this.state, input);
    if (isCheckpoint(TANK_NO, this.state, input)) this.#checkpoints.push({ settings: this.settings, state });
    this.state = state;
    if (input.kind === 'settings') this.settings = input.settings;
    this.events = excludeRetracted([...this.events, ...events], retracted);
  }

  #reevaluate(atMs: number, nowMs: number): void {
    this.refolds++;
    const last = this.#checkpoints.findLastIndex(({ state }) => state.atMs < atMs && !mayRetract(state));
    const kept = this.#checkpoints.slice(0, last + 1);
    const from = kept.at(-1) ?? this.#start;
    const after = ({ atMs: thenMs }: { atMs: number }): boolean => thenMs > from.state.atMs;
    const first = this.#inputs.findLastIndex((input) => !after(input)) + 1;
    const inputs: EvaluationInput[] = [...this.#inputs.slice(first), { kind: 'tick', atMs: nowMs }];
    const { settings, state, events, retracted, checkpoints } = foldInputs(from, inputs, TANK_NO);
    const { added, changed, retracted: notFound } = compareEvents(events, this.events.filter(after));
    const replaced = new Set([...changed, ...notFound].map(({ type, atMs: thenMs }) => `${type} ${thenMs}`));
    this.settings = settings;
    this.state = state;
    this.#checkpoints = [...kept, ...checkpoints];
    this.events = this.events.filter(({ type, atMs: thenMs }) => !replaced.has(`${type} ${thenMs}`));
    this.events = excludeRetracted([...this.events, ...added, ...changed], retracted);
    this.events.sort((a, b) => a.atMs - b.atMs);
  }
}
