import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { mapConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { documentKinds } from '../kinds/index.ts';
import type { NameBook } from '../names.ts';
import type { PlannedChange, Writers } from '../plan.ts';
import { listWrittenNodes } from '../writer.ts';
import { findRefusalProblems } from './refused.ts';

const checksAtOnce = 4;

/** What is wrong with templates, scripts and JSON Schemas of what is created or changed. */
export async function findWorkspaceTextProblems(
  changes: readonly PlannedChange[],
  writers: Writers,
  book: NameBook,
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const toId = book.toId((target, name) => book.addPlaceholder(target, name));
  const written = changes.flatMap(({ kind, node }) =>
    listWrittenNodes(documentKinds[kind], writers[kind], node),
  );
  const turn = eventLoopYielder();
  const found = new Map<number, ErrorDetail[]>();
  const checks = mapConcurrently(
    [...written.entries()],
    checksAtOnce,
    async ([at, { kind, writer, node }]) => {
      await turn();
      const content = kind.references(node.after?.content ?? {}, toId);
      found.set(at, await findRefusalProblems(node, () => writer.check?.(content, sandbox)));
    },
  );
  for await (const _ of checks);
  return written.flatMap((_each, at) => found.get(at) ?? []);
}
