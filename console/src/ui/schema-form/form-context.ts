import { createContext, type ReactNode, useContext } from 'react';
import type { JsonSchema } from '../values/schema.ts';

export interface FormContext {
  root: JsonSchema;
  /** What is wrong with a member, by its path from the root: `config.model`, `tools.0.name`. */
  problems: Readonly<Record<string, string>>;
  /** Optional members that are always shown. */
  shown: readonly string[];
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
  problems: {},
  shown: [],
  isChange: false,
  custom: () => undefined,
});
export const useForm = () => useContext(Context);
export const FormProvider = Context.Provider;
