import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import type { JsonSchema } from '../values/schema.ts';

export interface FieldProps {
  name: string;
  label?: string;
  path: string;
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  isRequired: boolean;
  /** Whether a choice can be changed, but not be taken away. */
  staysSet?: boolean;
}

export interface FormContext {
  root: JsonSchema;
  /** Draws one member. Objects, lists and variants draw their own with it. */
  Field: ComponentType<FieldProps>;
  /** What is wrong with a member, by its path from the root: `config.model`, `tools.0.name`. */
  problems: Readonly<Record<string, string>>;
  /** Optional members that are always shown. */
  shown: readonly string[];
  /** Whether settings stay in their groups, also those that are set: for forms with many. */
  isGrouped: boolean;
  /** Whether what the body does not name stays as it is. */
  isChange: boolean;
  /** Fields that the screen draws itself: `undefined` leaves the field to the form. */
  custom: (field: CustomField) => ReactNode | undefined;
}

export interface CustomField {
  path: string;
  name: string;
  label: string;
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  problem: string | undefined;
}

const Context = createContext<FormContext>({
  root: {},
  Field: () => null,
  problems: {},
  shown: [],
  isGrouped: false,
  isChange: false,
  custom: () => undefined,
});
export const useForm = () => useContext(Context);
export const FormProvider = Context.Provider;
