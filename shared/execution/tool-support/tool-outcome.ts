import type { ModelUse } from '../../adapters/ports.ts';

/** `awaitsCaller`: the caller of the run executes the tool and sends its output. */
export type ToolOutcome = { output: unknown; use?: ModelUse | undefined } | { awaitsCaller: true };
