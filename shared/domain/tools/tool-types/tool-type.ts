import type * as z from 'zod';
import type { Permission } from '../../../platform/identity/permissions.ts';
import type { SecretUse } from '../../flows/steps/step.ts';

export interface ToolType<Type extends string = string, Config extends z.ZodObject = z.ZodObject> {
  type: Type;
  summary: string;
  /** Strict: saving a tool rejects unknown members. */
  config: Config;
  /** True if a call has effects outside of the run. */
  effects: boolean;
  /** Whether the templates and scripts of the config may contain `{{secret:KEY}}`, and for what. */
  takesSecrets: SecretUse | false;
  /** What running the tool takes in addition to TOOLS:EXECUTE; null if nothing. */
  permission: Permission | null;
}

/** Declares a type of tool. Its runner is in `execution/tools/types`, under the same name. */
export const defineToolType = <Type extends string, Config extends z.ZodObject>(
  declared: ToolType<Type, Config>,
) => declared;
