import type { NewWait } from '../../adapters/ports/waits-port.ts';
import { clientJson } from '../../core/json/exact-json.ts';
import type { StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type NewDelivery, newDelivery } from '../deliveries/new-delivery.ts';
import type { ApprovalRequested } from './approval-attempt.ts';
import type { RunWait } from './run-wait.ts';
import type { WaitLink } from './wait-link.ts';

interface MadeLink {
  token: string;
  link: WaitLink;
}

interface Asking {
  wait: Extract<NewWait, { kind: 'approval' }>;
  item: Pick<RunWait, 'runId' | 'stepId' | 'itemKey' | 'flowName' | 'since' | 'expiresAt'>;
  base: string;
  linkOf: (address: string | null) => MadeLink;
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
export function createApprovalRequests({ now, newId }: Pick<Scope, 'now' | 'newId'>, asking: Asking): Asked {
  const { wait, item, base, linkOf } = asking;
  const { question, details, choices, form } = wait;
  const at = now();
  const createdAt = at.toISOString();
  const receivers = [
    ...wait.emails.map((email) => ({ address: email, approval: { email } })),
    ...(wait.webhookUrl === undefined
      ? []
      : [{ address: new URL(wait.webhookUrl).origin, approval: { url: wait.webhookUrl } }]),
  ];
  const made = receivers.map(({ address, approval }) => ({ ...linkOf(address), approval }));
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
    return newDelivery({ newId }, at, { ...place, approval, type: body.type, body: clientJson(body) });
  });
  const more = {
    question,
    ...(details !== undefined && { details }),
    choices: [...choices],
    ...(form && { form: JSON.stringify(form) }),
  };
  return { links: made, deliveries, more };
}
