// Package store keeps turns and the records of what happened on a disk, behind the interfaces that packages decide and trace declare.
//
// One SQLite file may be shared by any number of processes of one machine. All writing of a process goes through one connection
// and one goroutine, which puts what waits at the same time into one transaction. A lock file beside the database is held around
// each write transaction, because SQLite's own waiting is not fair: of eight writers one may wait for seconds. A second lock file for
// each process says whether it lives.
package store
