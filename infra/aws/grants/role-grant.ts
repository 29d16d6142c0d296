import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Stores } from '../stores/stores.ts';

/** Allows a role what a use needs. */
export type RoleGrant = (role: Role, stores: Stores) => void;
