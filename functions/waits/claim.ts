import { inboxReader, inboxWriter } from '../../shared/domain/run-waits/inbox-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { answersWaits, listRunKinds, toActor, toWaitView, WaitEntry, WaitParams } from './schemas.ts';

export const claimWait = defineEndpoint({
  id: 'waits.claim',
  method: 'POST',
  path: '/v1/waits/{id}/claim',
  permission: answersWaits,
  summary: 'Claim a wait',
  description:
    'Says that the caller works on it. Of two callers one gets it; 409 for the other. Others can still answer.',
  params: WaitParams,
  response: { kind: 'json', bodies: { 200: WaitEntry } },
  errors: [400, 404, 409],
  needs: { inbox: inboxReader, writer: inboxWriter },

  async handle({ params: { id }, principal, permissions }, { inbox, writer }) {
    const held = await permissions();
    const wait = await inbox.find(id, listRunKinds(held, 'EXECUTE'));
    return toWaitView(await inbox.show(await writer.claim(wait, toActor(principal))));
  },
});

export const handler = toLambda(claimWait);
