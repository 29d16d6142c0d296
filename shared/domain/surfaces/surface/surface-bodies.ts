import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { hasSecretReference, soleSecretReference } from '../../../core/secret-references.ts';
import { ServerUrl } from '../../flows/steps/http-config.ts';
import { SecretValue } from '../../secrets/secret.ts';
import { type SchemeName, schemes } from './verify-webhook.ts';
import { webhookEvents } from './webhook-events.ts';

const schemeNames = Object.keys(schemes) as [SchemeName, ...SchemeName[]];

export const toleranceDefaultSeconds = 300;

/** In the place of a plaintext in responses. Sent back, it keeps the plaintext. */
const StoredSecret = z
  .strictObject({ configured: z.literal(true), id: resourceId('surfsecret').optional() })
  .meta({ description: 'A stored secret, as responses show it. Sending it back keeps the secret' });

const SecretText = SecretValue.max(1_000)
  .refine(
    (text) => !hasSecretReference(text) || soleSecretReference(text) !== undefined,
    'Expected a secret value, or {{secret:KEY}} and nothing else',
  )
  .meta({ description: 'The secret, which responses do not show, or `{{secret:KEY}}`' });

const secretExpected =
  'Expected a secret of 8 to 1,000 characters, {{secret:KEY}}, or a stored secret as responses show it';
const Secret = z.union([SecretText, StoredSecret], secretExpected);

/** The key of Standard Webhooks: 24 to 64 bytes in Base64. */
const isStandardKey = (text: string): boolean => {
  if (soleSecretReference(text) !== undefined) return true;
  const encoded = text.replace(/^whsec_/, '');
  const { length } = Buffer.from(encoded, 'base64');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0 && length >= 24 && length <= 64;
};
const standardKeyExpected = 'Expected `whsec_` and 24 to 64 bytes in Base64';
const signingKeyExpected = `${standardKeyExpected}, {{secret:KEY}}, or a stored secret as responses show it`;

const Signature = z
  .strictObject({
    scheme: z.enum(schemeNames),
    secrets: z.array(Secret).min(1).max(2).meta({
      description:
        'A signature by any of them is valid. To rotate, add the new one, change the sender, and remove the old one',
    }),
    toleranceSeconds: z
      .int()
      .min(1)
      .max(3_600)
      .optional()
      .meta({
        description: `How far the time in a signature may be from now. GitHub signs no time. Default: ${toleranceDefaultSeconds}`,
      }),
  })
  .superRefine(({ scheme, secrets }, { addIssue }) => {
    for (const [index, secret] of secrets.entries()) {
      if (scheme !== 'standard-webhooks' || typeof secret !== 'string' || isStandardKey(secret)) continue;
      addIssue({ code: 'custom', path: ['secrets', index], message: standardKeyExpected });
    }
  })
  .meta({ id: 'WebhookSignature' });

const Webhook = z
  .strictObject({
    url: ServerUrl,
    events: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length).optional().meta({
      description: 'Default: all',
    }),
    secret: z
      .union([SecretText.refine(isStandardKey, standardKeyExpected), StoredSecret], signingKeyExpected)
      .optional()
      .meta({
        description:
          'Signs by Standard Webhooks. If none is sent or stored, the service generates one, which only this response shows. A URL of another origin takes a new secret',
      }),
  })
  .meta({ id: 'OutgoingWebhook' });

/** What a surface accepts from its callers. Further members are stored as they are. */
export const Inbound = z.looseObject({ signature: Signature.optional() });
export type Inbound = z.output<typeof Inbound>;

/** What a surface sends. Further members are stored as they are. */
export const Outbound = z.looseObject({ webhook: Webhook.optional() });
export type Outbound = z.output<typeof Outbound>;
