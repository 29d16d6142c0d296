/** What a piece of a run cost. */
export interface Spent {
  inputTokens: number;
  outputTokens: number;
  /** USD as decimal text; null if a model call has no known price. */
  cost: string | null;
}

/**
 * `awaitsCaller`: the caller of the run executes the tool and sends its output. `spent`: what the tool has spent and
 * counted itself. `failed`: the output is the reason.
 */
export type ToolOutcome = { output: unknown; failed?: true; spent?: Spent } | { awaitsCaller: true };
