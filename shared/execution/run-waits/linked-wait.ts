import { notFound } from '../../core/errors/errors.ts';
import type { RunWait } from '../../domain/run-waits/run-wait.ts';
import { linkOfToken, waitStore } from '../../domain/run-waits/wait-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { waitAnswers } from './answer-wait.ts';

export interface LinkedWait {
  wait: RunWait;
  /** To whom the link was sent. */
  address: string | null;
}

/** The wait for whose answer somebody has a token. */
export const linkedWait = /* @__PURE__ */ using([waitStore, waitAnswers], (scope: Scope) => ({
  /** @throws 404 for a wrong token and one of another kind, 409 if it is no longer open */
  async open(token: string, kind: RunWait['kind']): Promise<LinkedWait> {
    const link = await linkOfToken(scope, token);
    const wait = link && (await waitStore(scope).get(link));
    if (!wait || wait.kind !== kind) throw notFound('Link');
    await waitAnswers(scope).assertOpen(wait);
    return { wait, address: link.address };
  },
}));
