interface Told extends Record<string, unknown> {
  type?: unknown;
}

const begins = /^(turn|step|text|reasoning|tool|artifact|approval)_start$/;
const ends = /^(turn|step|text|reasoning|tool|artifact|approval)_(?:complete|skip)$/;

const nameOf = (kind: string, { id, toolCallId, approvalId, path }: Told) =>
  `${kind} ${kind === 'tool' ? toolCallId : kind === 'approval' ? approvalId : kind === 'step' ? path : id}`;

/**
 * Judges each stream that a test reads: whatever has begun has ended when the run ends. What a run waits for stays open
 * (`await` is then the last event), and a stream that was cut off has no end.
 */
export function openStreamJudge(): (event: Told) => void {
  const open = new Set<string>();
  return (event) => {
    const type = String(event.type);
    const begun = begins.exec(type)?.[1];
    const ended = ends.exec(type)?.[1];
    if (begun) open.add(nameOf(begun, event));
    if (ended) open.delete(nameOf(ended, event));
    if (!/^execution_(complete|error)$/.test(type) || open.size === 0) return;
    throw new Error(`The stream ended before the end of ${[...open].join(', ')}`);
  };
}
