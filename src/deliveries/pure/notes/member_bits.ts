import type { DeliveryNote, MatchedGroup, SeenRefill } from './delivery_note.ts';

/** Gives a bit to each note and refill that a later note can still use. Bits are reused, so that a year of notes needs few. */
export class MemberBits {
  readonly #lastUse = new Map<DeliveryNote | SeenRefill, number>();
  readonly #bits = new Map<DeliveryNote | SeenRefill, bigint>();
  readonly #free: bigint[] = [];

  constructor(inOrder: readonly DeliveryNote[], candidates: ReadonlyMap<DeliveryNote, readonly SeenRefill[]>) {
    inOrder.forEach((note, index) => {
      this.#lastUse.set(note, index);
      for (const refill of candidates.get(note) ?? []) this.#lastUse.set(refill, index);
    });
  }

  bitsOf({ notes, refills }: MatchedGroup): bigint {
    let bits = 0n;
    for (const note of notes) bits |= this.#bitOf(note);
    for (const refill of refills) bits |= this.#bitOf(refill);
    return bits;
  }

  #bitOf(member: DeliveryNote | SeenRefill): bigint {
    const known = this.#bits.get(member);
    if (known !== undefined) return known;
    const bit = this.#free.pop() ?? 1n << BigInt(this.#bits.size);
    this.#bits.set(member, bit);
    return bit;
  }

  /**
   * Returns the bits of the members that notes after this position can use. All other bits are released and reused, so
   * callers must clear them from stored masks.
   */
  releaseUnusedAfter(index: number): bigint {
    let kept = 0n;
    for (const [member, bit] of this.#bits) {
      if ((this.#lastUse.get(member) ?? 0) > index) kept |= bit;
      else {
        this.#bits.delete(member);
        this.#free.push(bit);
      }
    }
    return kept;
  }
}
