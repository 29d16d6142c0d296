import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { detailAt, type ErrorDetail, hasCode } from '../../core/errors/errors.ts';
import { kinds } from './kinds/index.ts';
import type { NameBook } from './names.ts';
import type { PlannedChange, Writers } from './plan.ts';

const checksAtOnce = 4;

/** What is wrong with templates, scripts and JSON Schemas of what is created or changed. */
export async function textProblems(
  changes: readonly PlannedChange[],
  writers: Writers,
  book: NameBook,
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const changed = changes.filter(({ action }) => action === 'create' || action === 'update');
  const toId = book.toId((target, name) => book.addPlaceholder(target, name));
  const found = new Map<PlannedChange, ErrorDetail[]>();
  const checks = mapConcurrently(changed, checksAtOnce, async (change) => {
    const { kind, node } = change;
    const content = kinds[kind].references(node.after?.content ?? {}, toId);
    const error = await writers[kind].check?.(content, sandbox).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return;
    if (!hasCode(error, 'VALIDATION')) throw error;
    const at = node.after?.path ?? [];
    found.set(
      change,
      error.details.map((detail) => detailAt([...at, detail.path ?? ''], detail.code, detail.message)),
    );
  });
  for await (const _ of checks);
  return changed.flatMap((change) => found.get(change) ?? []);
}
