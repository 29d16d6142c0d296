import { invalidAt } from '../../shared/core/errors/errors.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';
import type { StoredInbound } from '../../shared/domain/surfaces/surface/surface-secret-places.ts';
import { schemes } from '../../shared/domain/surfaces/surface/verify-webhook.ts';

type Signature = StoredInbound['signature'];
type Body = Record<string, unknown>;
type Header = (name: string) => string | undefined;

/** What Slack wants to get back before it sends events to an address. */
export const slackChallenge = (signature: Signature, { type, challenge }: Body): string | undefined =>
  signature?.scheme === 'slack' && type === 'url_verification' && typeof challenge === 'string'
    ? challenge
    : undefined;

/** Slack shows what a command or a button gets back to its user, and takes nothing but a 200. */
export const isSlackForm = (signature: Signature, header: Header): boolean =>
  signature?.scheme === 'slack' && !/\bjson\b/i.test(header('content-type') ?? '');

/** The id of the delivery. @throws 400 if a signed request has none. */
export function receivedDeliveryId(signature: Signature, header: Header, body: Body): string | undefined {
  if (!signature) return header('webhook-id');
  const { readDeliveryId, deliveryIdPlace } = schemes[signature.scheme];
  const id = readDeliveryId(header, body);
  if (id) return id;
  const message = `The delivery has no id. Expected it in ${deliveryIdPlace}, so that it runs once`;
  throw invalidAt('', 'MISSING_REQUIRED_FIELD', message);
}

const isVariable = ([name]: [string, unknown]) => VariableName.safeParse(name).success;

/** The parameters: the members of the body, and what a signed request says of itself. Those that cannot be variables are in `_input`. */
export function webhookInputs(webhook: Body | undefined, body: Body): Body {
  const members = Object.entries(body);
  const others = members.filter((member) => !isVariable(member));
  const own = Object.hasOwn(body, othersName) ? [[othersName, body[othersName]] as const] : [];
  return {
    ...(webhook && { webhook }),
    ...Object.fromEntries(members.filter(isVariable)),
    ...(others.length > 0 && { [othersName]: Object.fromEntries([...own, ...others]) }),
  };
}

const othersName = '_input';

/** The parameters as the schema of a capability may describe them: with the names of the body, as far as it has them. */
export function describedInputs(schema: Body | null, inputs: Body, body: Body): Body {
  const described = Object.keys((schema?.properties ?? {}) as object);
  const { [othersName]: _others, ...variables } = inputs;
  const named = described.filter((name) => Object.hasOwn(body, name));
  return { ...variables, ...Object.fromEntries(named.map((name) => [name, body[name]])) };
}
