/**
 * The waits of runs: a step that needs an approval, a callback or a person's answer.
 * Opening writes the wait, a link for each receiver and the deliveries of the links, in one transaction; opening it
 * again finds it. The answer that is stored first counts, and later ones get it as the result.
 * When a run suspends, it stores how to resume it (`resumeWith`) and gets an answer that is there already; who answers
 * requests the resumption before the answer is stored (`execution/run-waits`), so that no crash loses one.
 * Steps use it through `waits-adapter.ts`; the links are in `wait-link.ts`, and the worker of deliveries sends the
 * questions (`approval-attempt.ts`).
 */
import type { KnownWait, NewWait, WaitAnswer } from '../../adapters/ports/waits-port.ts';
import { foldAddress } from '../../core/email-address.ts';
import { requireEnv } from '../../core/environment.ts';
import { clientJson } from '../../core/json/exact-json.ts';
import { trimTrailing } from '../../core/text.ts';
import { unixSeconds } from '../../core/time.ts';
import { generateKey, hashKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode, type StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Changes, Write } from '../../platform/data/writes.ts';
import { messageLimits } from '../conversations/message-limits.ts';
import { deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import { type NewDelivery, prepareDelivery } from '../deliveries/end-webhook.ts';
import type { ApprovalRequested } from './approval-attempt.ts';
import { closeInboxWrite, type NewInboxWait, openInboxWrite, toInboxId } from './inbox-wait.ts';
import { openWaitsPartition, type RunWait, runWaitEntity, type WaitKey, waitsPartition } from './run-wait.ts';
import { type WaitLink, waitLinkEntity } from './wait-link.ts';

/** Of the run in which steps wait. */
export interface WaitOwner {
  runId: string;
  listedId: string;
  batchId: string | null;
  recordId: string | null;
  flowId: string | null;
  flowName: string | null;
  rootRunId: string;
  tags: readonly string[];
}

/** The key of the wait behind an index key: `batch_…#exec_…#2.i17.0`. */
function toWaitKey(indexKey: string) {
  const [, runId = '', path = ''] = indexKey.split('#');
  return runWaitEntity.key({ runId, path });
}

/** A run has at most a thousand items, and a response room for few hundred waits. */
const shownMax = 100;

/** How long an answer is kept after its time. */
const keptDays = 30;

export const waitStore = /* @__PURE__ */ using(
  ['table:write', 'public-url', deliveryQueue, messageLimits],
  (scope: Scope) => {
    const { table, now } = scope;
    const toKnownWait = (wait: RunWait): KnownWait => ({ ...wait, canResume: wait.resume !== undefined });
    const get = (key: WaitKey) => table.get(runWaitEntity, key, { consistent: true });

    /** Changes a wait that has no answer. @returns it as it is then, undefined if it is gone. */
    async function change(
      key: WaitKey,
      changes: Changes<typeof runWaitEntity>,
      alsoWrite: readonly Write[] = [],
    ): Promise<RunWait | undefined> {
      const isOpen = { expression: 'attribute_exists(PK) AND attribute_not_exists(#answer)' };
      const write = table.writes.update(runWaitEntity, key, changes, isOpen);
      await table.commit([write, ...alsoWrite]).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
      return get(key);
    }

    async function insert({ rootRunId, tags, ...owner }: WaitOwner, wait: NewWait): Promise<RunWait> {
      const { place, timeoutMinutes, kind } = wait;
      if (wait.kind === 'approval') await messageLimits(scope).take(wait.emails);
      const at = now();
      const expiresAt = new Date(at.getTime() + timeoutMinutes * 60_000);
      const ttl = unixSeconds(expiresAt) + keptDays * 86_400;
      const base = trimTrailing(requireEnv('PUBLIC_URL'), '/');
      const { path, stepId, stepName, stepPath, itemIndex } = place;
      const item = {
        ...owner,
        path,
        stepId,
        stepName,
        stepPath,
        itemKey: itemIndex === undefined ? null : String(itemIndex),
        kind,
        since: at.toISOString(),
        expiresAt: expiresAt.toISOString(),
        ttl,
        inboxId: toInboxId(at.toISOString(), owner.runId, path),
      };
      const linked = createLink(table.tenant, item);
      const asked =
        wait.kind === 'approval'
          ? createApprovalRequests(scope, { wait, item, base, createLink: linked })
          : { links: [linked(null)], deliveries: [], more: {} };
      const [first] = asked.links;
      const stored = {
        ...item,
        ...asked.more,
        ...(kind === 'callback' && { callbackUrl: `${base}/v1/callbacks/${first?.token}` }),
        ...(wait.kind === 'approval' && wait.webhookUrl !== undefined && { webhookUrl: wait.webhookUrl }),
        ...(wait.kind === 'approval' && wait.webhookFormat && { webhookFormat: wait.webhookFormat }),
        links: asked.links.map(({ link }) => link.hash),
      };
      await table.commit([
        table.writes.insert(runWaitEntity, stored),
        openInboxWrite(table, toInboxWait(stored, wait, { rootRunId, tags })),
        ...asked.links.map(({ link }) => table.writes.insert(waitLinkEntity, link)),
        ...asked.deliveries.map((delivery) => table.writes.insert(deliveryEntity, delivery)),
      ]);
      await Promise.all(asked.deliveries.map((delivery) => deliveryQueue(scope).sendOrLeave(delivery)));
      const opened = await get(item);
      if (!opened) throw new Error('A wait was removed as it was opened');
      return opened;
    }

    return {
      get,

      async open(owner: WaitOwner, path: string, wait: () => Promise<NewWait>): Promise<KnownWait> {
        const { runId } = owner;
        const before = await get({ runId, path });
        if (before) return toKnownWait(before);
        const opened = await insert(owner, await wait()).catch(async (error) => {
          const other = error instanceof ConditionFailed ? await get({ runId, path }) : undefined;
          if (other) return other;
          throw error;
        });
        return toKnownWait(opened);
      },

      markAnnounced: async (key: WaitKey): Promise<void> =>
        void (await change(key, { set: { isAnnounced: true } })),

      /** @returns the wait with this answer, or with the one that came first; undefined if there is none. */
      answer: (wait: AnsweredWait, answer: WaitAnswer, status: EndedStatus = 'answered') =>
        change(wait, toAnswered(answer), toInboxEnd(table, wait, answer, status)),

      /**
       * Asks these too, or again: each gets a link of its own. @param isAgain Whether the webhook is told too
       * @throws StepError over the limit of messages
       */
      async ask(wait: RunWait, emails: readonly string[], isAgain = false): Promise<void> {
        await messageLimits(scope).take(emails);
        const { question = '', details, choices = [], form } = wait;
        const webhookUrl = isAgain ? wait.webhookUrl : undefined;
        const { webhookFormat } = wait;
        const asked = { question, details, choices, form, emails, webhookUrl, webhookFormat };
        const request = { kind: 'approval', ...asked } as const;
        const base = trimTrailing(requireEnv('PUBLIC_URL'), '/');
        const { links, deliveries } = createApprovalRequests(scope, {
          wait: request,
          item: wait,
          base,
          createLink: createLink(table.tenant, wait),
        });
        const added = [...wait.links, ...links.map(({ link }) => link.hash)];
        await table.commit([
          table.writes.update(
            runWaitEntity,
            wait,
            { set: { links: added } },
            {
              expression: 'attribute_exists(PK) AND attribute_not_exists(#answer)',
            },
          ),
          ...links.map(({ link }) => table.writes.insert(waitLinkEntity, link)),
          ...deliveries.map((delivery) => table.writes.insert(deliveryEntity, delivery)),
        ]);
        await Promise.all(deliveries.map((delivery) => deliveryQueue(scope).sendOrLeave(delivery)));
      },

      /** Says how the run goes on after an answer. @returns the wait, with the answer if there is one already. */
      resumeWith: (key: WaitKey, message: object): Promise<RunWait | undefined> =>
        change(key, { set: { resume: JSON.stringify(message) } }),

      /** Those of a run, answered or not. */
      async listByRun(runId: string): Promise<RunWait[]> {
        const items = await table.queryAll({ partition: waitsPartition(runId), consistent: true });
        return items.map((item) => decode(runWaitEntity, item));
      },

      /** The open ones of a listed run: of a batch, those of its records. The newest are missing for a moment. */
      async listByListedRun(listedId: string): Promise<RunWait[]> {
        const range = { from: `${listedId}#`, to: `${listedId}#~` };
        const { items } = await table.first(shownMax, { partition: openWaitsPartition, index: 1, ...range });
        const keys = items.map(({ SK1 }) => toWaitKey(String(SK1)));
        const found = await table.getMany(keys, { consistent: true });
        return found
          .flatMap((item) => (item ? [decode(runWaitEntity, item)] : []))
          .filter(({ answer }) => answer === undefined);
      },
    };
  },
);

type EndedStatus = 'answered' | 'expired' | 'closed';
type AnsweredWait = WaitKey & Pick<RunWait, 'inboxId'>;

export const nobody = { choice: null, values: null, comment: null, answeredBy: null };

const toAnswered = (answer: WaitAnswer) => ({
  set: { answer: JSON.stringify(answer) },
  removeFromIndex: 1 as const,
});

const toInboxEnd = (
  table: TenantTable,
  { inboxId }: AnsweredWait,
  answer: WaitAnswer,
  status: EndedStatus,
): Write[] =>
  inboxId === undefined
    ? []
    : [closeInboxWrite(table, inboxId, status === 'closed' ? { status } : { status, answer })];

/** Ends the waits of a run that is over. */
export async function closeWaits({ table, now }: Scope, runId: string): Promise<void> {
  const items = await table.queryAll({ partition: waitsPartition(runId), consistent: true });
  const answer = { ...nobody, answeredAt: now().toISOString() };
  for (const wait of items.map((item) => decode(runWaitEntity, item))) {
    if (wait.answer) continue;
    await table.commit([
      table.writes.update(runWaitEntity, wait, toAnswered(answer)),
      ...toInboxEnd(table, wait, answer, 'closed'),
    ]);
  }
}

const createLink =
  (tenant: string, { runId, path, kind, ttl }: Pick<RunWait, 'runId' | 'path' | 'kind' | 'ttl'>) =>
  (address: string | null): MadeLink => {
    const token = generateKey(kind);
    return { token, link: { hash: hashKey(token), tenant, runId, path, address, ttl } };
  };

/** Its entry in the inbox. */
function toInboxWait(
  stored: Omit<StoredOf<typeof runWaitEntity>, 'ttl'>,
  wait: NewWait,
  { rootRunId, tags }: Pick<WaitOwner, 'rootRunId' | 'tags'>,
): NewInboxWait {
  const { inboxId = '', kind, runId, path, stepId, itemKey, flowId, flowName, recordId, since } = stored;
  const { emails = [], remindAfterMinutes, escalate } = wait.kind === 'approval' ? wait : {};
  const after = (minutes: number) => new Date(Date.parse(since) + minutes * 60_000).toISOString();
  return {
    id: inboxId,
    kind,
    runId,
    runKind: 'flow',
    rootRunId,
    path,
    stepId,
    itemKey,
    title: `${flowName ?? 'A flow'}: ${stored.stepName}`,
    flowId,
    agentId: null,
    recordId,
    tags: [...tags],
    emails: emails.map(foldAddress),
    since,
    expiresAt: stored.expiresAt,
    ...(remindAfterMinutes !== undefined && { remindAt: after(remindAfterMinutes) }),
    ...(escalate && {
      escalateAt: after(escalate.afterMinutes),
      escalateTo: escalate.emails.map(foldAddress),
    }),
  };
}

interface MadeLink {
  token: string;
  link: WaitLink;
}

interface Asking {
  wait: Pick<
    Extract<NewWait, { kind: 'approval' }>,
    'question' | 'details' | 'choices' | 'form' | 'emails' | 'webhookUrl' | 'webhookFormat'
  >;
  item: Pick<RunWait, 'runId' | 'stepId' | 'itemKey' | 'flowName' | 'since' | 'expiresAt' | 'inboxId'>;
  base: string;
  createLink: (address: string | null) => MadeLink;
}

interface Asked {
  links: MadeLink[];
  deliveries: NewDelivery[];
  more: Pick<
    StoredOf<typeof import('./run-wait.ts').runWaitEntity>,
    'question' | 'details' | 'choices' | 'form'
  >;
}

const toWebhook = (url: string, format: RunWait['webhookFormat']) => ({ url, ...(format && { format }) });

/** A link for each who is asked, and what tells of it. */
function createApprovalRequests({ now, newId }: Pick<Scope, 'now' | 'newId'>, asking: Asking): Asked {
  const { wait, item, base, createLink } = asking;
  const { question, details, choices, form } = wait;
  const at = now();
  const createdAt = at.toISOString();
  const receivers = [
    ...wait.emails.map((email) => ({ address: email, approval: { email } })),
    ...(wait.webhookUrl === undefined
      ? []
      : [
          {
            address: new URL(wait.webhookUrl).origin,
            approval: toWebhook(wait.webhookUrl, wait.webhookFormat),
          },
        ]),
  ];
  const made = receivers.map(({ address, approval }) => ({ ...createLink(address), approval }));
  const deliveries = made.map(({ token, approval }) => {
    const body: ApprovalRequested = {
      type: 'approval.requested',
      timestamp: createdAt,
      question,
      details: details ?? null,
      url: `${base}/approvals#${token}`,
      ...(item.inboxId !== undefined && { waitId: item.inboxId }),
      runId: item.runId,
      stepId: item.stepId,
      itemKey: item.itemKey,
      choices: [...choices],
      flowName: item.flowName,
      expiresAt: item.expiresAt,
    };
    const { runId } = item;
    const place = { productId: '', surfaceId: runId, executionId: runId };
    return prepareDelivery({ newId }, at, { ...place, approval, type: body.type, body: clientJson(body) });
  });
  const more = {
    question,
    ...(details !== undefined && { details }),
    choices: [...choices],
    ...(form && { form: JSON.stringify(form) }),
  };
  return { links: made, deliveries, more };
}
