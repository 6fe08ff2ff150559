import type { Region } from './fleet.ts';

export const MEXICO: Region = {
  country: 'MX',
  timeZone: 'America/Mexico_City',
  unit: 'liters',
  phone: '+52 222',
  capacities: { residential: [120, 180, 300, 500], commercial: [500, 1_000, 1_600], industrial: [2_200, 3_400, 5_000] },
  firstNames: ['María', 'José', 'Guadalupe', 'Juan', 'Sofía', 'Carlos', 'Ximena', 'Luis', 'Fernanda', 'Miguel'],
  lastNames: ['López', 'Hernández', 'García', 'Martínez', 'Ramírez', 'Flores', 'Núñez', 'Castillo', 'Vega', 'Ortiz'],
  businesses: ['Tortillería', 'Hotel', 'Panadería', 'Lavandería', 'Restaurante', 'Cerámica', 'Invernaderos'],
  streets: ['Avenida Juárez', 'Calle 5 de Mayo', 'Avenida Reforma', 'Calle Hidalgo', 'Camino Real', 'Calle Morelos'],
  places: [
    {
      city: 'Puebla',
      region: 'Puebla',
      postalCode: '72160',
      latitude: 19.0413,
      longitude: -98.2062,
      districts: ['La Paz', 'Centro', 'Huexotitla'],
    },
    {
      city: 'Cholula',
      region: 'Puebla',
      postalCode: '72760',
      latitude: 19.0634,
      longitude: -98.3036,
      districts: ['San Andrés', 'San Pedro'],
    },
    {
      city: 'Atlixco',
      region: 'Puebla',
      postalCode: '74200',
      latitude: 18.9087,
      longitude: -98.4354,
      districts: ['Centro', 'La Carolina'],
    },
  ],
};

export const VERMONT: Region = {
  country: 'US',
  timeZone: 'America/New_York',
  unit: 'gallons',
  phone: '+1 802',
  capacities: { residential: [120, 250, 330, 500], commercial: [500, 1_000], industrial: [1_000, 1_990] },
  firstNames: ['Emma', 'Noah', 'Olivia', 'Ethan', 'Grace', 'Samuel', 'Hannah', 'Owen', 'Abigail', 'Henry'],
  lastNames: ['Bennett', 'Cole', 'Fisher', 'Hayes', 'Lafayette', 'Morse', 'Perkins', 'Stone', 'Thibault', 'Warner'],
  businesses: ['Inn of', 'Creamery', 'Sugarhouse', 'Diner of', 'Greenhouses', 'Lumber Drying'],
  streets: ['Main Street', 'River Road', 'Church Street', 'Mill Hill', 'Old County Road', 'Maple Avenue'],
  places: [
    {
      city: 'Montpelier',
      region: 'Vermont',
      postalCode: '05602',
      latitude: 44.2601,
      longitude: -72.5754,
      districts: ['Downtown', 'The Meadow'],
    },
    {
      city: 'Stowe',
      region: 'Vermont',
      postalCode: '05672',
      latitude: 44.4654,
      longitude: -72.6874,
      districts: ['Lower Village', 'Mountain Road'],
    },
  ],
};
