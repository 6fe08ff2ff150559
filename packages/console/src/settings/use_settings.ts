import { useQuery } from '@tanstack/react-query';
import { fleet } from '../api.ts';

/** The settings of the organization. */
export const useSettings = () =>
  useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => fleet.settings({ signal }) });
