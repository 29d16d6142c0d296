import { hasSecretReference } from '../../../core/secrets/secret-references.ts';
import { scheduleDefaults } from '../../schedules/schedule-defaults.ts';
import type { DocumentKind, ResourceMembers } from './kind.ts';
import { referencesAt } from './references.ts';
import { surfaceProblems } from './surface-problems.ts';

const items: DocumentKind = {
  noun: 'item',
  nameMember: null,
  nameOf: ({ capabilityId }) => String(capabilityId),
  defaults: {
    enabled: true,
    endpointSlug: null,
    exposedName: null,
    exposedDescription: null,
    isEntryPoint: false,
    config: null,
    presentation: null,
  },
  kept: ['endpointSlug'],
  references: referencesAt({ capabilityId: 'capabilities' }),
};

const schedules: DocumentKind = {
  noun: 'schedule',
  nameMember: null,
  nameOf: ({ flowId }) => String(flowId),
  defaults: scheduleDefaults,
  tidy: ({ recordIds, ...content }) => ({
    ...content,
    ...(Array.isArray(recordIds) && recordIds.length > 0 && { recordIds }),
  }),
  references: referencesAt({
    flowId: 'flows',
    'recordIds.*': 'records',
    'executionOptions.modelOverride': 'modelConfigs',
  }),
  onlyPruned: true,
};

type Secret = string | { configured: true; id?: string };

interface WithSecrets {
  inbound?: ResourceMembers & { signature?: ResourceMembers & { secrets: Secret[] } };
  outbound?: ResourceMembers & { webhook?: ResourceMembers & { secret?: Secret } };
}

export const surfacesKind: DocumentKind = {
  noun: 'surface',
  nameMember: 'name',
  nameOf: ({ name }) => String(name),
  defaults: { environment: 'development', status: 'draft', behavior: {}, inbound: {}, outbound: {} },
  tidy,
  plaintexts: (content) => {
    const { inbound, outbound } = content as WithSecrets;
    const secrets = inbound?.signature?.secrets ?? [];
    return [
      ...secrets.flatMap((secret, index) =>
        isPlain(secret) ? [['inbound', 'signature', 'secrets', index]] : [],
      ),
      ...(isPlain(outbound?.webhook?.secret) ? [['outbound', 'webhook', 'secret']] : []),
    ];
  },
  fitted,
  references: (content) => content,
  problems: surfaceProblems,
  parts: { items, schedules },
  onlyPruned: true,
};

const isPlain = (secret: Secret | undefined) => typeof secret === 'string' && !hasSecretReference(secret);

/** Stored secrets without their ids. The one of a webhook stays where it is, or is made. */
function tidy({ config, ...content }: ResourceMembers): ResourceMembers {
  const { inbound, outbound } = content as WithSecrets;
  const { signature } = inbound ?? {};
  const { webhook } = outbound ?? {};
  const { secret, ...ownWebhook } = webhook ?? {};
  return {
    ...content,
    ...(config !== undefined && content.behavior === undefined && { behavior: config }),
    ...(signature && {
      inbound: { ...inbound, signature: { ...signature, secrets: signature.secrets.map(bare) } },
    }),
    ...(webhook && {
      outbound: { ...outbound, webhook: { ...ownWebhook, ...(typeof secret === 'string' && { secret }) } },
    }),
  };
}

const bare = (secret: Secret): Secret => (typeof secret === 'string' ? secret : { configured: true });

/** A secret that is not stored here cannot be set by a document. */
function fitted(content: ResourceMembers, before: ResourceMembers | undefined) {
  const { inbound, outbound } = content as WithSecrets;
  const old = (before ?? {}) as WithSecrets;
  const notes =
    outbound?.webhook && outbound.webhook.secret === undefined && !old.outbound?.webhook
      ? ['its outgoing webhook gets a new secret, which the response to the apply shows once']
      : [];
  const { signature, ...others } = inbound ?? {};
  const isSame = signature?.scheme === old.inbound?.signature?.scheme;
  const stored = isSame
    ? (old.inbound?.signature?.secrets.filter((each) => typeof each !== 'string') ?? [])
    : [];
  if (!signature) return { content, notes };
  const secrets = signature.secrets.filter(
    (each) => typeof each === 'string' || stored.shift() !== undefined,
  );
  if (secrets.length === signature.secrets.length) return { content, notes };
  const note = 'a secret of its signature is not stored here. Send it with PUT to the surface';
  const fitting = secrets.length > 0 ? { ...others, signature: { ...signature, secrets } } : others;
  return { content: { ...content, inbound: fitting }, notes: [...notes, note] };
}
