/** `awaitsCaller`: the caller of the run executes the tool and sends its output. */
export type ToolOutcome = { output: unknown } | { awaitsCaller: true };
