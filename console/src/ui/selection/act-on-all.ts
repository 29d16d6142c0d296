/** One that could not be done. */
export interface Failed<Row> {
  row: Row;
  error: Error;
}

interface Control {
  /** After an abort, nothing more begins. */
  signal: AbortSignal;
  /** Says how many are done. */
  onDone: (done: number) => void;
}

/** Does something to all rows. @returns those that it failed for. */
export type ActOnAll<Row> = (rows: readonly Row[], control: Control) => Promise<Failed<Row>[]>;

const atATime = 5;

/** Does something to each row, to five at a time. One that fails keeps no other from it. */
export const actOnEach =
  <Row>(act: (row: Row) => Promise<unknown>): ActOnAll<Row> =>
  async (rows, { signal, onDone }) => {
    const left = [...rows];
    const failed: Failed<Row>[] = [];
    let done = 0;
    async function work() {
      for (let row = left.shift(); row !== undefined && !signal.aborted; row = left.shift()) {
        try {
          await act(row);
          onDone(++done);
        } catch (error) {
          failed.push({ row, error: error as Error });
        }
      }
    }
    await Promise.all(Array.from({ length: atATime }, work));
    return failed;
  };
