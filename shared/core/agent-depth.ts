import { unprocessable } from './errors/errors.ts';

/** How deep runs may run agents: by themselves, and by way of calls to the surfaces of this service. */
export const agentLevelsMax = 5;

/** Higher numbers count as this one, which is safely written as digits. */
const depthMax = 999_999_999;

/** Says how many runs are above the one that a call starts. Sent with each call of an agent or a tool of a server (D14). */
export const depthHeader = 'x-agent-depth';

/** The header for what a run at a depth calls. Keeps a higher number, which a run inside of it has set. */
export function addDepth(headers: Readonly<Record<string, string>>, depth: number): Record<string, string> {
  const highest = Math.max(depth + 1, parseDepth(headers[depthHeader]));
  return { ...headers, [depthHeader]: String(highest) };
}

/** A forged number gains nothing: it leaves fewer levels, and none counts as outermost. @throws 422 over the limit. */
export function getCallDepth(header: string | undefined): number {
  const depth = parseDepth(header);
  if (depth <= agentLevelsMax) return depth;
  const message = `Agents run each other at most ${agentLevelsMax} levels deep; does an agent call itself?`;
  throw unprocessable({ code: 'TOO_DEEP', message });
}

/** The highest number, because a proxy may have joined several headers. Others than numbers count as none. */
const parseDepth = (header = '') => {
  const numbers = header.split(',').map((part) => part.trim());
  return Math.max(
    0,
    ...numbers
      .filter((part) => /^\d+$/.test(part))
      .map(Number)
      .map((depth) => Math.min(depth, depthMax)),
  );
};
