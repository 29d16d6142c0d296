import * as z from 'zod';
import type { KnownWait, NewWait, WaitAnswer, WaitsPort } from '../../adapters/ports/waits-port.ts';
import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { clientJson, parseExact } from '../../core/json/exact-json.ts';
import { trimTrailing } from '../../core/text.ts';
import { unixSeconds } from '../../core/time.ts';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { generateKey, hashKey, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode, defineEntity, type StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Changes } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { messageLimits } from '../conversations/message-limits.ts';
import { type Delivery, deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import { type NewDelivery, prepareDelivery } from '../deliveries/end-notice.ts';
import { type AttemptResult, attempt, attemptServiceEmail } from '../deliveries/signed-request.ts';
import { openWaitsPartition, type RunWait, runWaitEntity, type WaitKey, waitsPartition } from './run-wait.ts';

/**
 * The waits of runs: a step that needs an approval, a callback or a person's answer, and the links by which it can be
 * answered.
 *
 * Opening writes the wait, a link for each receiver and the deliveries that tell of them, in one transaction; opening it again
 * finds it. Whichever answer is stored first counts, later ones get it as the answer. When a run suspends, it stores how it
 * goes on (`resumeWith`) and gets an answer that is there already; who answers asks for the resumption before it stores the
 * answer (`shared/execution/run-waits`), so that no crash loses one.
 */

/** Of the run in which steps wait. */
interface WaitOwner {
  runId: string;
  listedId: string;
  batchId: string | null;
  recordId: string | null;
  flowId: string | null;
  flowName: string | null;
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
    ): Promise<RunWait | undefined> {
      const isOpen = { expression: 'attribute_exists(PK) AND attribute_not_exists(#answer)' };
      await table.commit([table.writes.update(runWaitEntity, key, changes, isOpen)]).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
      return get(key);
    }

    async function insert(owner: WaitOwner, wait: NewWait): Promise<RunWait> {
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
      };
      const createLink = (address: string | null) => {
        const token = generateKey(kind);
        const link = { hash: hashKey(token), tenant: table.tenant, runId: owner.runId, path, address, ttl };
        return { token, link };
      };
      const asked =
        wait.kind === 'approval'
          ? createApprovalRequests(scope, { wait, item, base, createLink })
          : { links: [createLink(null)], deliveries: [], more: {} };
      const [first] = asked.links;
      const stored = {
        ...item,
        ...asked.more,
        ...(kind === 'callback' && { callbackUrl: `${base}/v1/callbacks/${first?.token}` }),
        links: asked.links.map(({ link }) => link.hash),
      };
      await table.commit([
        table.writes.insert(runWaitEntity, stored),
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
      answer: (key: WaitKey, answer: WaitAnswer): Promise<RunWait | undefined> =>
        change(key, { set: { answer: JSON.stringify(answer) }, removeFromIndex: 1 }),

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

interface MadeLink {
  token: string;
  link: WaitLink;
}

interface Asking {
  wait: Extract<NewWait, { kind: 'approval' }>;
  item: Pick<RunWait, 'runId' | 'stepId' | 'itemKey' | 'flowName' | 'since' | 'expiresAt'>;
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
      : [{ address: new URL(wait.webhookUrl).origin, approval: { url: wait.webhookUrl } }]),
  ];
  const made = receivers.map(({ address, approval }) => ({ ...createLink(address), approval }));
  const deliveries = made.map(({ token, approval }) => {
    const body: ApprovalRequested = {
      type: 'approval.requested',
      timestamp: createdAt,
      question,
      details: details ?? null,
      url: `${base}/approvals#${token}`,
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

/** The waits of a run. */
export const waitsPort = /* @__PURE__ */ using([waitStore], (scope: Scope, owner: WaitOwner): WaitsPort => {
  const store = waitStore(scope);
  const { runId } = owner;
  return {
    open: (path, wait) => store.open(owner, path, wait),
    announced: (path) => store.markAnnounced({ runId, path }),
    async expire(path, answer) {
      const wait = await store.answer({ runId, path }, answer);
      if (!wait) throw new StepError('What the run waited for was deleted');
      return { ...wait, canResume: true };
    },
    async close(path) {
      const nobody = { choice: null, values: null, comment: null, answeredBy: null };
      await store.answer({ runId, path }, { ...nobody, answeredAt: scope.now().toISOString() });
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

/** Lets whoever has its token answer for a run. The table stores only the hash. */
const WaitLink = z.object({
  hash: z.string(),
  tenant: z.string(),
  runId: z.string(),
  path: z.string(),
  /** To whom it was sent; null for the address of a callback. */
  address: z.string().nullable(),
  ttl: z.int(),
});
type WaitLink = z.infer<typeof WaitLink>;

/** Stored with the credentials of API keys: both map a hash to a tenant. */
const waitLinkEntity = defineEntity({
  type: 'waitLink',
  schema: WaitLink,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'WAIT' }),
});

/** The link of a token; undefined for a wrong one. */
export async function linkOfToken(
  { table }: Pick<Scope, 'table'>,
  token: unknown,
): Promise<WaitLink | undefined> {
  if (typeof token !== 'string' || !isWellFormedKey(token)) return undefined;
  return table.get(waitLinkEntity, { hash: hashKey(token) }, { consistent: true });
}

/** The scope of the tenant whose run waits for the holder of a token. */
export async function findTokenScope(token: unknown, { scopeOf }: Runtime): Promise<Scope | undefined> {
  const link = await linkOfToken(scopeOf(''), token);
  return link && scopeOf(link.tenant);
}

const ApprovalRequested = z.object({
  type: z.literal('approval.requested'),
  timestamp: z.string(),
  question: z.string(),
  details: z.string().nullable(),
  url: z.string(),
  runId: z.string(),
  stepId: z.string(),
  itemKey: z.string().nullable(),
  choices: z.array(z.string()),
  flowName: z.string().nullable(),
  expiresAt: z.string(),
});
type ApprovalRequested = z.infer<typeof ApprovalRequested>;

/** Sends somebody the question of a run, with a link to answer it. */
export const approvalAttempt = /* @__PURE__ */ using(
  ['alert-emails'],
  ({ table, now }: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { approval, body, id } = delivery;
      if (!approval) return undefined;
      if ('url' in approval) {
        const headers = { 'content-type': 'application/json', 'webhook-id': id };
        return attempt(table.tenant, { url: approval.url, headers, body }, now());
      }
      const message = renderApprovalEmail(ApprovalRequested.parse(parseExact(body)));
      return attemptServiceEmail(approval.email, message, now());
    },
);

/** The texts of flows stand in an email as they are: it has no markup. */
function renderApprovalEmail({ question, details, url, flowName, expiresAt }: ApprovalRequested) {
  const lines = question.split(/[\r\n]+/);
  return {
    subject: `${flowName ?? 'A flow'} asks: ${(lines[0] ?? '').slice(0, 150)}`.replaceAll(/\p{Cc}/gu, ' '),
    text: [question, details, `Answer here: ${url}`, `The link works once, until ${expiresAt}.`]
      .filter((part) => part)
      .join('\n\n'),
  };
}
