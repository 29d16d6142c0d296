import type { WaitsPort } from '../../adapters/ports/waits-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { nobody, type WaitOwner, waitStore } from './wait-store.ts';

/** The waits of a run. */
export const waitsPort = /* @__PURE__ */ using([waitStore], (scope: Scope, owner: WaitOwner): WaitsPort => {
  const store = waitStore(scope);
  const { runId } = owner;
  return {
    open: (path, wait) => store.open(owner, path, wait),
    announced: (path) => store.markAnnounced({ runId, path }),
    async expire(path, answer) {
      const before = await store.get({ runId, path });
      const wait = before && (await store.answer(before, answer, 'expired'));
      if (!wait) throw new StepError('What the run waited for was deleted');
      return { ...wait, canResume: true };
    },
    async close(path) {
      const before = await store.get({ runId, path });
      if (before) await store.answer(before, { ...nobody, answeredAt: scope.now().toISOString() }, 'closed');
    },
  };
});

const noWait = async (): Promise<never> => {
  throw new StepError(
    'The flow waits for somebody, which a flow that runs as a tool cannot; run it by itself',
  );
};

/** Of a run that cannot be suspended. */
export const noWaits: WaitsPort = { open: noWait, announced: noWait, expire: noWait, close: async () => {} };
