"""What engines share that let a service do the work: settings, requests, bundles, and documents made of bundles."""
