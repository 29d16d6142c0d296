import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { accountId, region } from '../runtime/account.ts';
import { invalidRequest, limitExceeded, secretExists, secretNotFound } from './errors.ts';
import type { LocalSecret, SecretsStore, SecretVersion } from './store.ts';

const secondsPerDay = 86_400;

/** The actions of Secrets Manager. Dates are Unix seconds on the wire. */
export const secretsActions = (store: SecretsStore): Record<string, (input: unknown) => object> => ({
  CreateSecret(input) {
    const { Name, Description, Tags, ...value } = Create.parse(input);
    const existing = store.find(Name);
    if (existing?.deletedAt) {
      throw invalidRequest('You can’t create this secret because it is already scheduled for deletion.');
    }
    if (existing) {
      if (isRepeatedRequest(existing, value)) return summaryOf(existing, value.ClientRequestToken);
      throw secretExists(`The operation failed because the secret ${Name} already exists.`);
    }
    const now = seconds();
    const suffix = randomUUID().slice(0, 6);
    const secret: LocalSecret = {
      name: Name,
      arn: `arn:aws:secretsmanager:${region}:${accountId}:secret:${Name}-${suffix}`,
      ...(Description !== undefined && { description: Description }),
      tags: Tags,
      versions: hasValue(value) ? [newSecretVersion(value, ['AWSCURRENT'])] : [],
      createdAt: now,
      changedAt: now,
    };
    store.save(secret);
    return summaryOf(secret, value.ClientRequestToken);
  },

  PutSecretValue(input) {
    const { SecretId, VersionStages, ...value } = Put.parse(input);
    const secret = alive(store, SecretId);
    if (!hasValue(value)) throw invalidRequest('You must provide either SecretString or SecretBinary.');
    if (!isRepeatedRequest(secret, value)) {
      const previous = secret.versions.map((version) => supersededVersion(version, VersionStages));
      const versions = withoutOutdated([...previous, newSecretVersion(value, VersionStages)]);
      store.save({ ...secret, versions, changedAt: seconds() });
    }
    return { ...summaryOf(secret, value.ClientRequestToken), VersionStages };
  },

  GetSecretValue(input) {
    const { SecretId, VersionId, VersionStage } = Get.parse(input);
    const secret = alive(store, SecretId);
    const stage = VersionStage ?? (VersionId ? undefined : 'AWSCURRENT');
    const version = secret.versions.find(
      ({ id, stages }) => (!VersionId || id === VersionId) && (!stage || stages.includes(stage)),
    );
    if (!version) {
      const wanted = VersionId ? `VersionId: ${VersionId}` : `staging label: ${stage}`;
      throw secretNotFound(`Secrets Manager can't find the specified secret value for ${wanted}`);
    }
    return {
      ...summaryOf(secret, version.id),
      SecretString: version.text,
      SecretBinary: version.binary,
      VersionStages: version.stages,
      CreatedDate: version.createdAt,
    };
  },

  DescribeSecret(input) {
    const secret = find(store, Named.parse(input).SecretId);
    const labelled = secret.versions.filter(({ stages }) => stages.length > 0);
    return {
      ...summaryOf(secret),
      Description: secret.description,
      Tags: secret.tags,
      VersionIdsToStages: Object.fromEntries(labelled.map(({ id, stages }) => [id, stages])),
      CreatedDate: secret.createdAt,
      LastChangedDate: secret.changedAt,
      DeletedDate: secret.deletedAt,
    };
  },

  DeleteSecret(input) {
    const { SecretId, RecoveryWindowInDays, ForceDeleteWithoutRecovery } = Delete.parse(input);
    const now = seconds();
    const secret = store.find(SecretId);
    if (ForceDeleteWithoutRecovery) {
      if (secret) store.remove(secret);
      return { Name: SecretId, ...(secret && summaryOf(secret)), DeletionDate: now };
    }
    const deleteAt = now + RecoveryWindowInDays * secondsPerDay;
    const found = alive(store, SecretId);
    store.save({ ...found, deletedAt: now, deleteAt });
    return { ...summaryOf(found), DeletionDate: deleteAt };
  },

  ListSecrets(input) {
    const { Filters, IncludePlannedDeletion, MaxResults, NextToken } = List.parse(input);
    const prefixes = Filters.flatMap(({ Values }) => Values.map((value) => value.toLowerCase()));
    const listed = store
      .all()
      .filter(({ deletedAt }) => IncludePlannedDeletion || !deletedAt)
      .filter(
        ({ name }) =>
          prefixes.length === 0 || prefixes.some((prefix) => name.toLowerCase().startsWith(prefix)),
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const page = listed.filter(({ name }) => name > NextToken).slice(0, MaxResults);
    const last = page.at(-1)?.name;
    return {
      SecretList: page.map((secret) => ({ ...summaryOf(secret), DeletedDate: secret.deletedAt })),
      ...(last !== undefined && last !== listed.at(-1)?.name && { NextToken: last }),
    };
  },

  RestoreSecret(input) {
    const {
      deletedAt: _deletedAt,
      deleteAt: _deleteAt,
      ...secret
    } = find(store, Named.parse(input).SecretId);
    store.save(secret);
    return summaryOf(secret);
  },
});

const summaryOf = ({ arn, name }: LocalSecret, versionId?: string) => ({
  ARN: arn,
  Name: name,
  ...(versionId && { VersionId: versionId }),
});

function find(store: SecretsStore, id: string): LocalSecret {
  const secret = store.find(id);
  if (secret?.deleteAt && secret.deleteAt <= seconds()) store.remove(secret);
  else if (secret) return secret;
  throw secretNotFound("Secrets Manager can't find the specified secret.");
}

function alive(store: SecretsStore, id: string): LocalSecret {
  const secret = find(store, id);
  if (!secret.deletedAt) return secret;
  throw invalidRequest("You can't perform this operation on the secret because it was marked for deletion.");
}

/** The time in Secrets Manager's format: Unix seconds. */
const seconds = () => Date.now() / 1000;

/** A repeated request returns the first response; another value with the same token is rejected. */
function isRepeatedRequest({ versions }: LocalSecret, sent: SecretValueInput): boolean {
  const version = versions.find(({ id }) => id === sent.ClientRequestToken);
  if (!version) return false;
  if (version.text === sent.SecretString && version.binary === sent.SecretBinary) return true;
  throw secretExists('You can’t use ClientRequestToken again with another value.');
}

const newSecretVersion = (
  { ClientRequestToken, SecretString, SecretBinary }: SecretValueInput,
  stages: string[],
): SecretVersion => ({
  id: ClientRequestToken,
  stages,
  ...(SecretString !== undefined && { text: SecretString }),
  ...(SecretBinary !== undefined && { binary: SecretBinary }),
  createdAt: seconds(),
});

/** Moves stages to the new version; the current version becomes the previous one. */
function supersededVersion(version: SecretVersion, taken: readonly string[]): SecretVersion {
  const left = version.stages.filter((stage) => !taken.includes(stage));
  if (!taken.includes('AWSCURRENT')) return { ...version, stages: left };
  const wasCurrent = version.stages.includes('AWSCURRENT');
  const stages = left.filter((stage) => stage !== 'AWSPREVIOUS');
  return { ...version, stages: wasCurrent ? [...stages, 'AWSPREVIOUS'] : stages };
}

const versionsMax = 100;

/**
 * A version without a stage remains readable by id. Above a hundred versions, the oldest of them are removed, except
 * those under a day old.
 */
function withoutOutdated(versions: readonly SecretVersion[]): SecretVersion[] {
  const yesterday = seconds() - secondsPerDay;
  const outdated = versions.filter(({ stages, createdAt }) => stages.length === 0 && createdAt < yesterday);
  const gone = new Set(outdated.slice(0, Math.max(0, versions.length - versionsMax)));
  const left = versions.filter((version) => !gone.has(version));
  if (left.length <= versionsMax) return left;
  throw limitExceeded('You have reached the maximum number of versions of a secret.');
}

/** The members of a request that contain a value. */
const Value = {
  ClientRequestToken: z
    .string()
    .min(32)
    .max(64)
    .default(() => randomUUID()),
  SecretString: z.string().max(65_536).optional(),
  SecretBinary: z.string().optional(),
};

type SecretValueInput = {
  ClientRequestToken: string;
  SecretString?: string | undefined;
  SecretBinary?: string | undefined;
};

const hasValue = ({ SecretString, SecretBinary }: SecretValueInput) =>
  SecretString !== undefined || SecretBinary !== undefined;

const SecretId = z.string().min(1);
const Create = z.object({
  Name: z.string().regex(/^[\w/+=.@-]{1,512}$/),
  Description: z.string().optional(),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
  ...Value,
});
const Put = z.object({
  SecretId,
  VersionStages: z.array(z.string()).default(['AWSCURRENT']),
  ...Value,
});
const Get = z.object({
  SecretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const Delete = z.object({
  SecretId,
  RecoveryWindowInDays: z.int().min(7).max(30).default(30),
  ForceDeleteWithoutRecovery: z.boolean().default(false),
});
const Named = z.object({ SecretId });
const List = z.object({
  /** Of AWS's filters, the one by the beginning of a name. */
  Filters: z.array(z.object({ Key: z.literal('name'), Values: z.array(z.string()) })).default([]),
  IncludePlannedDeletion: z.boolean().default(false),
  MaxResults: z.int().min(1).max(100).default(100),
  NextToken: z.string().default(''),
});
