import { lazy, type ReactNode, Suspense } from 'react';
import type { OperationRequest, OperationResponse } from '../../api/api.ts';
import type { EditedOperation } from '../../api/edited-operations.ts';
import { Dialog } from '../dialogs/dialog.tsx';
import { Loading } from '../loading/loaded.tsx';
import type { CustomField } from '../schema-form/form-context.ts';
import type { JsonObject } from '../values/schema.ts';

/** With the schemas of the bodies, which are large. */
const EditForm = lazy(async () => ({ default: (await import('./edit-form.tsx')).EditForm }));

export interface EditDialogProps<R extends EditedOperation> {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Whose body is edited, and to which it is sent. */
  operation: R;
  /** The params of the operation. */
  params?: OperationRequest<R> extends { params: infer P } ? P : undefined;
  /** The body at first. */
  value?: JsonObject;
  /** Members of the body that nobody edits here. */
  hidden?: readonly string[];
  /** Optional members that are always shown. */
  shown?: readonly string[];
  custom?: (field: CustomField) => ReactNode | undefined;
  /** The start of the paths whose cached answers it changes. */
  changes?: readonly string[];
  /** What the button says. */
  submit?: string;
  onSaved?: (answer: OperationResponse<R>) => void;
  children?: ReactNode;
}

/** Creates or changes something, by a form that is made of the schema of the request. */
export const EditDialog = <R extends EditedOperation>({
  title,
  isOpen,
  onClose,
  ...props
}: EditDialogProps<R>) => (
  <Dialog title={title} isOpen={isOpen} onClose={onClose} role="alertdialog">
    <Suspense fallback={<Loading />}>
      <EditForm
        {...(props as Omit<EditDialogProps<EditedOperation>, 'title' | 'isOpen' | 'onClose'>)}
        onClose={onClose}
      />
    </Suspense>
  </Dialog>
);
