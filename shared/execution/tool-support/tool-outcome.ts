import type { Spent } from '../agent-loop/facts.ts';

/**
 * `awaitsCaller`: the caller of the run executes the tool and sends its output. `spent`: what the tool has spent and
 * counted itself. `failed`: the output is the reason.
 */
export type ToolOutcome = { output: unknown; failed?: true; spent?: Spent } | { awaitsCaller: true };
