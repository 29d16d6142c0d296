/** Takes requests back that came before one that failed: the newest first. */
export class Undoable {
  readonly #undos: { what: string; undo: () => Promise<unknown> }[] = [];

  /** What was created, and how to delete it. */
  add(what: string, undo: () => Promise<unknown>): void {
    this.#undos.push({ what, undo });
  }

  /** @returns what could not be taken back */
  async undo(): Promise<string[]> {
    const left: string[] = [];
    for (const { what, undo } of this.#undos.toReversed()) {
      await undo().catch(() => left.push(what));
    }
    return left;
  }
}
