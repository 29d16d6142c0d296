import { randomUUID } from 'node:crypto';
import * as z from 'zod';

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

export type SecretValueInput = {
  ClientRequestToken: string;
  SecretString?: string | undefined;
  SecretBinary?: string | undefined;
};

export const hasValue = ({ SecretString, SecretBinary }: SecretValueInput) =>
  SecretString !== undefined || SecretBinary !== undefined;

const SecretId = z.string().min(1);
export const Create = z.object({
  Name: z.string().regex(/^[\w/+=.@-]{1,512}$/),
  Description: z.string().optional(),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
  ...Value,
});
export const Put = z.object({
  SecretId,
  VersionStages: z.array(z.string()).default(['AWSCURRENT']),
  ...Value,
});
export const Get = z.object({
  SecretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
export const Delete = z.object({
  SecretId,
  RecoveryWindowInDays: z.int().min(7).max(30).default(30),
  ForceDeleteWithoutRecovery: z.boolean().default(false),
});
export const Named = z.object({ SecretId });
export const List = z.object({
  /** Of AWS's filters, the one by the beginning of a name. */
  Filters: z.array(z.object({ Key: z.literal('name'), Values: z.array(z.string()) })).default([]),
  IncludePlannedDeletion: z.boolean().default(false),
  MaxResults: z.int().min(1).max(100).default(100),
  NextToken: z.string().default(''),
});
