import type { Link } from './link.ts';
import {
  applyEntry,
  type Entry,
  type Round,
  type Stop,
  type StopDetails,
  timeOfNext,
  withoutClosedDetails,
  withRead,
} from './round.ts';
import { fetchRound, sendBlockRead, sendEntry } from './service.ts';
import type { Store, StoredRound } from './store.ts';

/** The service accepts entries of a phone for this long after its link has expired. */
const SEND_LONGER_MS = 7 * 24 * 3_600_000;

/** What the driver reports about a stop. */
export type StopReport =
  | { kind: 'delivered'; volume: number; noteNumber: string | null; filledTo: number | null }
  | { kind: 'not_possible'; reason: NonNullable<Entry['reason']>; comment: string | null }
  | { kind: 'reopened' };

/** What the page shows. */
export interface DriverState {
  round: Round | null;
  /** The entries that are not sent yet, oldest first. */
  entries: readonly Entry[];
  /** Whether the service answered when it was last asked. */
  isOnline: boolean;
  /** `loading`: the round has not arrived yet. `none`: no link was opened. `ended`: the link is no longer valid. */
  link: 'loading' | 'none' | 'valid' | 'ended';
}

/** The round of one link on this phone: what is stored here, what is sent, and what is deleted. */
export class Driver {
  readonly #store: Store;
  readonly #onChange: () => void;
  #stored: StoredRound | null = null;
  #entries: readonly Entry[] = [];
  #isOnline = true;
  #hasEnded = false;
  #isSyncing = false;
  #mustSyncAgain = false;
  /** Details of stops that were closed since the page was opened, to undo a mistake. They are kept in memory only. */
  readonly #closedDetails = new Map<number, StopDetails>();

  constructor(store: Store, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  get state(): DriverState {
    const round = this.#stored?.round ?? null;
    return { round, entries: this.#entries, isOnline: this.#isOnline, link: this.#linkState() };
  }

  #linkState(): DriverState['link'] {
    if (this.#stored === null) return 'none';
    if (this.#isOver(this.#stored)) return 'ended';
    return this.#stored.round === null ? 'loading' : 'valid';
  }

  /** Opens the round of the link. Without a link, opens the round that was opened last. */
  async open(link: Link | undefined): Promise<void> {
    const rounds = await this.#store.rounds();
    this.#entries = await this.#store.entries();
    this.#hasEnded = false; // a person can open a new link in the page that shows an ended one
    if (link === undefined) {
      this.#stored = rounds.toSorted((a, b) => b.openedMs - a.openedMs)[0] ?? null;
    } else {
      const known = rounds.find(({ roundId }) => roundId === link.roundId);
      const readBlocks = known?.readBlocks ?? [];
      this.#stored = { ...link, openedMs: Date.now(), round: known?.round ?? null, readBlocks };
      await this.#store.putRound(this.#stored);
      // The service may accept entries with the new link that it refused with the ended link.
      if (known !== undefined && known.token !== link.token) await this.#tryRefusedAgain(link.roundId);
    }
    await this.forgetExpired();
  }

  /** Stores a report of the driver as an entry, then sends it. */
  async report(stop: Stop, report: StopReport): Promise<void> {
    const stored = this.#stored;
    if (stored === null || stored.round === null) return;
    const entry: Entry = {
      id: newUuid(),
      roundId: stored.roundId,
      stop: stop.stop,
      tankId: stop.tankId,
      kind: report.kind,
      volume: report.kind === 'delivered' ? report.volume : null,
      unit: report.kind === 'delivered' ? stored.round.unit : null,
      reason: report.kind === 'not_possible' ? report.reason : null,
      comment: report.kind === 'not_possible' ? report.comment : null,
      note: report.kind === 'delivered' ? report.noteNumber : null,
      filledTo: report.kind === 'delivered' ? report.filledTo : null,
      at: timeOfNext(this.#entries, Date.now()),
    };
    await this.#store.putEntry(entry);
    this.#entries = [...this.#entries, entry];
    const { details } = stop;
    if (report.kind !== 'reopened' && details !== null) this.#closedDetails.set(stop.stop, details);
    await this.#keep(this.#withDetails(withoutClosedDetails(stored.round, this.#entries)));
    this.#onChange();
    await this.sync();
  }

  /** Stores that the driver has read why a stop is blocked, then sends it. */
  async markBlockRead({ stop, block }: Stop): Promise<void> {
    const stored = this.#stored;
    if (stored === null || stored.round === null || block === null) return;
    this.#stored = { ...stored, readBlocks: [...(stored.readBlocks ?? []), { stop, since: block.since }] };
    await this.#keep(stored.round);
    this.#onChange();
    await this.sync();
  }

  /**
   * Reads the round, then sends the stored entries, oldest first. The round is read first, because a stop may be blocked
   * now, and sending the entries of a day takes a while. Only one sync runs at a time.
   */
  async sync(): Promise<void> {
    if (this.#isSyncing) {
      this.#mustSyncAgain = true;
      return;
    }
    this.#isSyncing = true;
    try {
      do {
        this.#mustSyncAgain = false;
        await this.forgetExpired();
        if ((await this.#refresh()) && (await this.#sendAll())) await this.#refresh();
      } while (this.#mustSyncAgain);
    } finally {
      this.#isSyncing = false;
      this.#onChange();
    }
  }

  /**
   * Deletes names, addresses and phones when the link has expired. An entry is deleted only after the service has
   * answered, because the clock of the phone may be wrong.
   */
  async forgetExpired(): Promise<void> {
    const nowMs = Date.now();
    for (const stored of await this.#store.rounds()) {
      if (stored.readUntilMs > nowMs) continue;
      const entries = this.#entries.filter(({ roundId }) => roundId === stored.roundId);
      const refused =
        stored.readUntilMs + SEND_LONGER_MS <= nowMs ? entries.filter((entry) => entry.refused !== undefined) : [];
      for (const entry of refused) await this.#forgetEntry(entry);
      if (entries.length === refused.length) await this.#store.deleteRound(stored.roundId);
      else if (stored.round !== null) await this.#store.putRound({ ...stored, round: null });
    }
    if (this.#stored !== null && this.#stored.readUntilMs <= nowMs) {
      this.#stored = { ...this.#stored, round: null };
      this.#closedDetails.clear();
    }
  }

  #isOver({ readUntilMs }: StoredRound): boolean {
    return this.#hasEnded || readUntilMs <= Date.now();
  }

  /** Returns whether the service received something and still answers. An entry is deleted only after a success status. */
  async #sendAll(): Promise<boolean> {
    const rounds = await this.#store.rounds();
    let hasSent = await this.#sendReadBlocks();
    for (const entry of this.#entries) {
      const token = rounds.find(({ roundId }) => roundId === entry.roundId)?.token;
      if (token === undefined || entry.refused !== undefined) continue;
      const result = await sendEntry(token, entry);
      this.#isOnline = result !== 'away';
      if (result === 'away') return false;
      hasSent = true;
      if (result === 'sent') {
        await this.#forgetEntry(entry);
        await this.#applySent(entry);
      } else {
        const refused = { ...entry, ...result };
        this.#entries = this.#entries.map((one) => (one.id === entry.id ? refused : one));
        await this.#store.putEntry(refused);
      }
      this.#onChange();
    }
    return hasSent;
  }

  async #sendReadBlocks(): Promise<boolean> {
    const { token, readBlocks = [] } = this.#stored ?? { token: '' };
    for (const sent of readBlocks) {
      if (!(await sendBlockRead(token, sent)) || this.#stored === null) return false;
      this.#stored = { ...this.#stored, readBlocks: (this.#stored.readBlocks ?? []).filter((block) => block !== sent) };
    }
    return readBlocks.length > 0;
  }

  /** Adds a sent entry to the stored round, so that the page shows the entry without network. */
  async #applySent(entry: Entry): Promise<void> {
    const round = this.#stored?.round ?? null;
    if (round === null || round.id !== entry.roundId) return;
    const stops = round.stops.map((stop) => (stop.stop === entry.stop ? applyEntry(stop, entry) : stop));
    await this.#keep(this.#withDetails({ ...round, stops }));
  }

  /** Reads the round, unless its link has ended. Returns false if the service does not answer. */
  async #refresh(): Promise<boolean> {
    const stored = this.#stored;
    if (stored === null || this.#isOver(stored)) return true;
    const answer = await fetchRound(stored.token);
    this.#isOnline = answer !== 'away';
    if (answer === 'away') return false;
    this.#hasEnded = answer === 'ended';
    if (answer === 'ended') this.#closedDetails.clear();
    await this.#keep(answer === 'ended' ? null : withoutClosedDetails(answer, this.#entries));
    this.#onChange();
    return true;
  }

  async #keep(round: Round | null): Promise<void> {
    if (this.#stored === null || this.#stored.readUntilMs <= Date.now()) return;
    const { readBlocks = [] } = this.#stored;
    this.#stored = { ...this.#stored, round: round && withRead(round, readBlocks) };
    await this.#store.putRound(this.#stored);
  }

  /** Adds the details of reopened stops, which only this page still has. */
  #withDetails(round: Round): Round {
    const reopened = new Set(this.#entries.filter(({ kind }) => kind === 'reopened').map(({ stop }) => stop));
    const stops = round.stops.map((stop) => {
      const details = stop.details ?? (reopened.has(stop.stop) ? (this.#closedDetails.get(stop.stop) ?? null) : null);
      return { ...stop, details };
    });
    return withoutClosedDetails({ ...round, stops }, this.#entries);
  }

  async #forgetEntry({ id }: Entry): Promise<void> {
    await this.#store.deleteEntry(id);
    this.#entries = this.#entries.filter((one) => one.id !== id);
  }

  async #tryRefusedAgain(roundId: string): Promise<void> {
    for (const { refused, ...entry } of this.#entries) {
      if (refused === undefined || entry.roundId !== roundId) continue;
      this.#entries = this.#entries.map((one) => (one.id === entry.id ? entry : one));
      await this.#store.putEntry(entry);
    }
  }
}

/** Makes a UUID without crypto.randomUUID, which exists only on pages with https. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
