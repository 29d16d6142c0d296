import { inboxReader, inboxWriter } from '../../shared/domain/run-waits/inbox-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { answersWaits, listRunKinds, toActor, toWaitView, WaitEntry, WaitParams } from './schemas.ts';

export const releaseWait = defineEndpoint({
  id: 'waits.release',
  method: 'POST',
  path: '/v1/waits/{id}/release',
  permission: answersWaits,
  summary: 'Release a wait',
  description:
    'The caller works on it no more. Only who claimed it, or a caller with the permission `*`. 409 if nobody has claimed it.',
  params: WaitParams,
  response: { kind: 'json', bodies: { 200: WaitEntry } },
  errors: [400, 404, 409],
  needs: { inbox: inboxReader, writer: inboxWriter },

  async handle({ params: { id }, principal, permissions }, { inbox, writer }) {
    const held = await permissions();
    const wait = await inbox.find(id, listRunKinds(held, 'EXECUTE'));
    return toWaitView(await inbox.show(await writer.release(wait, toActor(principal), held.includes('*'))));
  },
});

export const handler = toLambda(releaseWait);
