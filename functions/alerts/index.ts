import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createAlert } from './create.ts';
import { deleteAlert } from './delete.ts';
import { getAlert } from './get.ts';
import { getAlertHistory } from './history.ts';
import { listAlerts } from './list.ts';
import { testAlert } from './test.ts';
import { updateAlert } from './update.ts';

export const alertsGroup = {
  description: 'Tell when runs fail, slow down, stop or cost too much.',
  endpoints: [listAlerts, createAlert, getAlert, updateAlert, deleteAlert, getAlertHistory, testAlert],
} as const satisfies EndpointGroup;
