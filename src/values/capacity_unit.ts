export type CapacityUnit = 'liters' | 'gallons';
