import type { ReactNode } from 'react';
import {
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components';
import { Help } from './help.tsx';

interface Props extends Omit<TextFieldProps, 'children' | 'className'> {
  label: ReactNode;
  help?: ReactNode;
  problem?: string | undefined;
  placeholder?: string | undefined;
  /** More than one line, of at first so many. */
  lines?: number;
}

/** A field for text with its label, its help, and what is wrong with it, which never keeps a form from being sent. */
export const TextField = ({ label, help, problem, placeholder, lines, ...props }: Props) => (
  <AriaTextField {...props} isInvalid={problem !== undefined} validationBehavior="aria" className="field">
    <Label>{label}</Label>
    {lines ? (
      <TextArea rows={lines} {...(placeholder && { placeholder })} />
    ) : (
      <Input {...(placeholder && { placeholder })} />
    )}
    {help && (
      <Text slot="description" className="help">
        <Help>{help}</Help>
      </Text>
    )}
    <FieldError className="problem">{problem}</FieldError>
  </AriaTextField>
);
