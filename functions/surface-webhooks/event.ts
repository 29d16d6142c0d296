import { schemes } from '../../shared/adapters/incoming-webhooks/schemes.ts';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';
import type { StoredInbound } from '../../shared/domain/surfaces/surface/surface-secret-places.ts';

type Signature = StoredInbound['signature'];
type Body = Record<string, unknown>;
type Header = (name: string) => string | undefined;

/** What Slack wants to get back before it sends events to an address. */
export const slackChallenge = (signature: Signature, { type, challenge }: Body): string | undefined =>
  signature?.scheme === 'slack' && type === 'url_verification' && typeof challenge === 'string'
    ? challenge
    : undefined;

/** The id of the delivery. @throws 400 if a signed request has none. */
export function receivedDeliveryId(signature: Signature, header: Header, body: Body): string | undefined {
  if (!signature) return header('webhook-id');
  const { deliveryIdOf, deliveryIdPlace } = schemes[signature.scheme];
  const id = deliveryIdOf(header, body);
  if (id) return id;
  const message = `The delivery has no id. Expected it in ${deliveryIdPlace}, so that it runs once`;
  throw invalidAt('', 'MISSING_REQUIRED_FIELD', message);
}

/** The parameters: the members of the body that can be variables, and what a signed request says of itself. */
export const webhookInputs = (webhook: Body | undefined, body: Body): Body => ({
  ...(webhook && { webhook }),
  ...Object.fromEntries(Object.entries(body).filter(([name]) => VariableName.safeParse(name).success)),
});
