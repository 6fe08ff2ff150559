import { useQuery } from '@tanstack/react-query';
import { fleet } from '../api.ts';

export const useSettings = () =>
  useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => fleet.settings({ signal }) });
