import { moveTestKeyValues } from '../domain/api-keys/move-test-key-values.ts';
import type { Migration } from '../platform/run-migration.ts';

/** All migrations. Their order means nothing: each reads every shape that its release reads. */
export const migrations: readonly Migration[] = [moveTestKeyValues];
